/** Environments without a file system: browsers have no `process`, bundles for browsers have one without built-in modules. */
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { fileSink } from "../src/file.js";
import { memorySink, openSink, openSource, readExactly } from "../src/index.js";

describe.each([
  ["no process", undefined],
  ["a process without getBuiltinModule", { env: {} }],
  ["a getBuiltinModule that knows none", { getBuiltinModule: () => undefined }],
])("%s", (_name, process) => {
  beforeEach(() => {
    vi.stubGlobal("process", process);
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
