/** How many bytes a scan reads at a time. */
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSource, memorySink } from "@cfile/io";
import { beforeAll, expect, test } from "vitest";
import { openCFile, type ReadAhead } from "../src/index.js";
import { CFileWriter } from "../src/write.js";

const BLOCK_BYTES = 4096;
const ROWS = 400_000;
const numbers = Array.from({ length: ROWS }, (_, i) => Math.imul(i, 2_654_435_761));
let bytes: Uint8Array;

beforeAll(async () => {
  const sink = memorySink();
  const options = { type: "INT32", encoding: "PLAIN_ENCODING", blockSize: BLOCK_BYTES } as const;
  const writer = new CFileWriter(sink, options);
  await writer.append(batchFromValues(options, numbers));
  await writer.finish();
  bytes = sink.bytes();
});

/** The longest read of a scan. */
async function longestRead(chunkBytes: number | undefined, readAhead?: ReadAhead): Promise<number> {
  const lengths: number[] = [];
  const source: ByteSource = {
    name: "chunks",
    chunkBytes,
    size: async () => bytes.length,
    read: async (offset, length) => {
      lengths.push(length);
      return bytes.slice(offset, offset + length);
    },
  };
  const file = await openCFile(source);
  let rows = 0;
  for await (const batch of file.scan({ readAhead })) {
    rows += batch.length;
  }
  expect(rows).toBe(ROWS);
  return Math.max(...lengths);
}

test("blocks are read in chunks of the size that suits the source, by default 1 MiB", async () => {
  for (const [size, stated] of [
    [1 << 20, undefined],
    [256 * 1024, 256 * 1024],
    [20_000, 20_000],
  ] as const) {
    const longest = await longestRead(stated);
    expect(longest).toBeGreaterThan(size - BLOCK_BYTES);
    expect(longest).toBeLessThan(size + 2 * BLOCK_BYTES);
  }
});

test("`readAhead` takes precedence over the source", async () => {
  expect(await longestRead(256 * 1024, { bytes: 20_000 })).toBeLessThan(20_000 + 2 * BLOCK_BYTES);
});

test("a source with an invalid size is rejected", async () => {
  for (const size of [Number.NaN, -1]) {
    await expect(longestRead(size)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "readAhead" });
  }
});
