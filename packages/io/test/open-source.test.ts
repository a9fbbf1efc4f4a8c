import { Buffer } from "node:buffer";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { pathToGolden, ranges, temporaryFolder, webServer } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { type ByteSource, memorySource, openSource, readExactly, type SourceInput } from "../src/index.js";

const golden = pathToFileURL(pathToGolden("adhoc_index.cfile"));

async function opened(input: SourceInput): Promise<ByteSource> {
  const source = await openSource(input);
  onTestFinished(() => source.close?.());
  return source;
}

/** Every kind of input for the same bytes. */
const inputs: readonly (readonly [
  string,
  (bytes: Uint8Array, path: string) => SourceInput | Promise<SourceInput>,
])[] = [
  ["a path", (_bytes, path) => path],
  ["a file: URL", (_bytes, path) => pathToFileURL(path)],
  ["a file: URL as text", (_bytes, path) => pathToFileURL(path).href],
  ["a file: URL as text in capitals", (_bytes, path) => pathToFileURL(path).href.replace("file:", "FILE:")],
  ["an http: URL", async (bytes) => new URL((await webServer(ranges(() => ({ bytes })))).url)],
  ["an http: URL as text", async (bytes) => (await webServer(ranges(() => ({ bytes })))).url],
  ["a data: URL", (bytes) => `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`],
  [
    "a blob: URL",
    (bytes) => {
      const url = URL.createObjectURL(new Blob([Uint8Array.from(bytes)]));
      onTestFinished(() => URL.revokeObjectURL(url));
      return new URL(url);
    },
  ],
  ["a Blob", (bytes) => new Blob([Uint8Array.from(bytes)])],
  ["a File", (bytes) => new File([Uint8Array.from(bytes)], "f.cfile")],
  ["a Uint8Array", (bytes) => bytes],
  ["a Buffer", (bytes) => Buffer.from(bytes)],
  ["an ArrayBuffer", (bytes) => Uint8Array.from(bytes).buffer],
  ["a ByteSource", (bytes) => memorySource(bytes)],
  [
    "an AsyncBuffer",
    (bytes) => ({
      byteLength: bytes.length,
      slice: async (start: number, end?: number) => Uint8Array.from(bytes.subarray(start, end)).buffer,
    }),
  ],
];

describe.each(inputs)("%s", (_name, make) => {
  test("reads Kudu's files and any others", async () => {
    const folder = temporaryFolder();
    let count = 0;
    const check = async (bytes: Uint8Array, at: readonly (readonly [number, number])[]): Promise<void> => {
      const path = join(folder, `${count++}`);
      await writeFile(path, bytes);
      const source = await openSource(await make(bytes, path));
      expect(await source.size()).toBe(bytes.length);
      for (const [offset, length] of at) {
        const expected = bytes.slice(offset, offset + length);
        expect(Buffer.compare(await source.read(offset, length), expected)).toBe(0);
      }
      expect(Buffer.compare(await readExactly(source, 0, bytes.length), bytes)).toBe(0);
      await source.close?.();
    };
    const file = Uint8Array.from(await readFile(golden));
    await check(file, [
      [file.length - 4, 4],
      [0, 8],
      [file.length - 1, 2],
    ]);
    await check(new Uint8Array(0), [[0, 1]]);
    const range = fc.tuple(fc.nat(150), fc.nat(150));
    await fc.assert(fc.asyncProperty(fc.uint8Array({ maxLength: 100 }), fc.array(range), check), {
      seed: 1,
      numRuns: 20,
    });
  });
});

test("a source is returned unchanged", async () => {
  const source = memorySource(new Uint8Array(1));
  expect(await openSource(source)).toBe(source);
});

test("sources are named by file or URL; long data: URLs are shortened", async () => {
  expect((await opened(new File([], "f.cfile"))).name).toBe("f.cfile");
  expect((await opened("data:,abc")).name).toBe("data:,abc");
  expect((await opened(`data:,${"abc".repeat(100)}`)).name).toMatch(/^data:,(abc){17}.*\.\.\.$/);
});

test.each<[string, unknown]>([
  ["nothing", undefined],
  ["null", null],
  ["a number", 5],
  ["an array", [1, 2, 3]],
  ["an object", {}],
  ["a Promise", Promise.resolve(new Uint8Array(1))],
  ["another typed array", new Int32Array(2)],
  ["a DataView", new DataView(new ArrayBuffer(4))],
  ["a function", () => new Uint8Array(1)],
  ["an ftp: URL", new URL("ftp://example.invalid/x")],
  ["an ftp: URL as text", "ftp://example.invalid/x"],
  ["a gs: URL", "gs://bucket/x"],
])("%s is E_INVALID_ARGUMENT", async (_name, input) => {
  await expect(openSource(input as SourceInput)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
});

test.each(["data:nonsense", "blob:nodedata:00000000-0000-0000-0000-000000000000", "blob:x"])(
  "%s is E_IO",
  async (url) => {
    await expect(openSource(url)).rejects.toMatchObject({
      code: "E_IO",
      path: url,
      cause: expect.any(Error),
    });
  },
);

test("missing files are E_NOT_FOUND, folders E_IO", async () => {
  const folder = temporaryFolder();
  await expect(openSource(join(folder, "none"))).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  await expect(openSource(pathToFileURL(join(folder, "none")))).rejects.toMatchObject({
    code: "E_NOT_FOUND",
  });
  await expect(openSource(folder)).rejects.toMatchObject({ code: "E_IO", path: folder });
});
