/**
 * Environments without a file system: browsers have no `process`, bundles for browsers have one without built-in modules. Here, the rest
 * of `process` remains, because programs that run at the same time, such as the test runner, need it.
 */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fileSink } from "../src/file.js";
import { memorySink, openSink, openSource, readExactly } from "../src/index.js";

describe.each([
  ["a process without getBuiltinModule", undefined],
  ["a getBuiltinModule that knows none", () => undefined],
])("%s", (_name, getBuiltinModule) => {
  beforeEach(() => {
    vi.stubGlobal("process", Object.create(process, { getBuiltinModule: { value: getBuiltinModule } }));
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("paths are E_UNSUPPORTED", async () => {
    const unsupported = {
      code: "E_UNSUPPORTED",
      reason: "no file system here (pass a Blob, bytes or a URL)",
    };
    for (const location of ["c.cfile", "file:///c.cfile", new URL("file:///c.cfile")]) {
      await expect(openSource(location)).rejects.toMatchObject(unsupported);
      await expect(openSink(location)).rejects.toMatchObject(unsupported);
      await expect(fileSink(location)).rejects.toMatchObject(unsupported);
    }
  });

  test("everything else works", async () => {
    for (const input of [Uint8Array.of(97, 98), new Blob(["ab"]), "data:,ab", Uint8Array.of(97, 98).buffer]) {
      expect(await readExactly(await openSource(input), 0, 2)).toEqual(Uint8Array.of(97, 98));
    }
    const sink = memorySink();
    await sink.write(Uint8Array.of(1));
    await sink.close();
    expect(sink.bytes()).toEqual(Uint8Array.of(1));
  });
});
