import { openAsBlob } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { blobSource } from "../src/browser.js";
import { withMetrics } from "../src/decorators.js";
import { type ByteSource, memorySource, readExactly } from "../src/index.js";
import { asyncBufferSource } from "../src/source/async-buffer-source.js";

const bytes = Uint8Array.of(0, 1, 2, 3, 4, 5, 6, 7);

const sources: readonly (readonly [string, ByteSource])[] = [
  ["memory", memorySource(bytes)],
  ["memory inside a larger buffer", memorySource(Uint8Array.of(9, ...bytes, 9).subarray(1, 9))],
  ["Blob", blobSource(new Blob([bytes]))],
  ["AsyncBuffer", asyncBufferSource(bytes.buffer)],
  [
    "AsyncBuffer with promises",
    asyncBufferSource({ byteLength: 8, slice: async (start, end) => bytes.buffer.slice(start, end) }),
  ],
  ["metrics", withMetrics(memorySource(bytes))],
];

describe.each(sources)("%s", (_name, source) => {
  test("has a size", async () => {
    expect(await source.size()).toBe(8);
  });

  test.each([
    [0, 8],
    [3, 2],
    [7, 1],
    [8, 0],
    [0, 0],
  ])("reads at offset %d, length %d", async (offset, length) => {
    expect(await readExactly(source, offset, length)).toEqual(bytes.slice(offset, offset + length));
  });

  test.each([
    [6, 4],
    [8, 1],
    [100, 1],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("reads beyond the end: offset %d, length %d", async (offset, length) => {
    await expect(readExactly(source, offset, length)).rejects.toMatchObject({ code: "E_TRUNCATED" });
  });

  test("rejects invalid ranges", async () => {
    await expect(source.read(-1, 2)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    await expect(source.read(0, Number.NaN)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("fails with the signal's reason", async () => {
    await expect(source.read(0, 1, { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
  });
});

test("a name is given or taken from the file", () => {
  expect(memorySource(bytes).name).toBe("memory");
  expect(memorySource(bytes, "m").name).toBe("m");
  expect(blobSource(new Blob([])).name).toBe("blob");
  expect(blobSource(new File([], "f.cfile")).name).toBe("f.cfile");
  expect(blobSource(new File([], "f.cfile"), "b").name).toBe("b");
  expect(asyncBufferSource(bytes.buffer).name).toBe("buffer");
  expect(withMetrics(memorySource(bytes, "m")).name).toBe("m");
});

test("reads from memory return views", async () => {
  const part = await memorySource(bytes).read(2, 3);
  expect(part.buffer).toBe(bytes.buffer);
  expect(part.byteOffset).toBe(2);
});

test("a blob whose file was changed is E_IO with the cause", async () => {
  const path = join(temporaryFolder(), "file");
  await writeFile(path, bytes);
  const source = blobSource(await openAsBlob(path), "picked");
  expect(await readExactly(source, 0, 8)).toEqual(bytes);
  await writeFile(path, "longer than before");
  await expect(source.read(0, 8)).rejects.toMatchObject({
    code: "E_IO",
    path: "picked",
    cause: { name: "NotReadableError" },
  });
});

test("an aborted read of a blob fails with the reason", async () => {
  const controller = new AbortController();
  const read = blobSource(new Blob([bytes])).read(0, 8, { signal: controller.signal });
  controller.abort("enough");
  await expect(read).rejects.toBe("enough");
});

test("a failed read of an AsyncBuffer is E_IO, an aborted one fails with the reason", async () => {
  const cause = new Error("no network");
  const failing = asyncBufferSource({ byteLength: 8, slice: () => Promise.reject(cause) }, "theirs");
  await expect(failing.read(0, 1)).rejects.toMatchObject({ code: "E_IO", path: "theirs", cause });
  const controller = new AbortController();
  const slow = asyncBufferSource({
    byteLength: 8,
    slice: async () => {
      controller.abort("enough");
      return new ArrayBuffer(1);
    },
  });
  await expect(slow.read(0, 1, { signal: controller.signal })).rejects.toBe("enough");
});

test.each([-1, 1.5, Number.NaN])("an AsyncBuffer of %d bytes is E_IO", async (byteLength) => {
  const source = asyncBufferSource({ byteLength, slice: () => new ArrayBuffer(0) });
  await expect(source.size()).rejects.toMatchObject({ code: "E_IO" });
});

test("metrics count reads and bytes, and close their source", async () => {
  let closed = 0;
  const source = withMetrics({
    ...memorySource(bytes),
    close: async () => {
      closed++;
    },
  });
  expect(source.metrics).toMatchObject({ reads: 0, bytes: 0, milliseconds: 0, requests: 0, bytesFetched: 0 });
  await Promise.all([source.read(0, 3), source.read(7, 5), source.size()]);
  await expect(source.read(-1, 1)).rejects.toThrow();
  expect(source.metrics).toMatchObject({ reads: 3, bytes: 4, requests: 3, bytesFetched: 4 });
  await source.close?.();
  await withMetrics(memorySource(bytes)).close?.();
  expect(closed).toBe(1);
});
