/** The search for blocks, and reading, at their limits. */
import { DEFAULT_LIMITS, MemoryArena } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { ENCODINGS } from "@cfile/encodings/write";
import { memorySink, memorySource } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { roomFor } from "../src/blocks/block-reader.js";
import { loadDataBlockOpener } from "../src/blocks/load-data-block-opener.js";
import { openCFile } from "../src/index.js";
import { findChecksummedRanges } from "../src/recover/search/checksum-scan.js";
import { dataBlockLength } from "../src/recover/search/encoded-length.js";
import { classifyBlock } from "../src/recover/search/found-part.js";
import { CFileWriter } from "../src/write.js";
import { sameNumbers } from "./same-numbers.js";

const u32 = (value: number): number[] => [
  value & 255,
  (value >>> 8) & 255,
  (value >>> 16) & 255,
  value >>> 24,
];

describe("ranges that end with their checksum", () => {
  const crafted = sameNumbers(1024);

  test("are found until the caller has enough", () => {
    let found = 0;
    findChecksummedRanges(crafted, () => (++found === 5 ? "stop" : "continue"));
    expect(found).toBe(5);
  });

  test("are at most 32 for one end", () => {
    const perEnd = new Map<number, number>();
    findChecksummedRanges(crafted, ({ end }) => {
      perEnd.set(end, (perEnd.get(end) ?? 0) + 1);
      return "continue";
    });
    expect(Math.max(...perEnd.values())).toBe(32);
  });

  test("are not in fewer bytes than a block has", () => {
    let found = 0;
    findChecksummedRanges(crafted.subarray(0, 8), () => {
      found++;
      return "continue";
    });
    expect(found).toBe(0);
  });
});

test("a prefix block without values has the number of restarts only", () => {
  const column = { type: "STRING", encoding: "PREFIX_ENCODING", nullable: false, array: false } as const;
  const empty = [0, 0, 0, 16, 0, ...u32(0)];
  const withInterval = (interval: number) => [0, 1, 0, interval, 0, 0, 1, 65, ...u32(0)];
  const length = (bytes: readonly number[]) =>
    dataBlockLength(Uint8Array.from([...bytes, 9]), { ...column, dictionary: undefined, kernels: undefined });
  expect([length(empty), length(withInterval(16)), length(withInterval(0))]).toEqual([9, 12, 12]);
});

describe("words of a dictionary", () => {
  // First row, count, position of the offsets, words, offsets as a group of varints.
  const words = (ordinal: number) =>
    Uint8Array.from([...u32(ordinal), ...u32(2), ...u32(14), 65, 66, 0, 12, 13, 0, 0]);

  test.each([
    ["begin with row 0", 0, "dictionary"],
    ["do not begin with another row", 5, undefined],
  ])("%s", async (_, ordinal, kind) => {
    const column = { type: "STRING", encoding: "DICT_ENCODING", nullable: false, array: false } as const;
    const openContent = await loadDataBlockOpener(column, ENCODINGS);
    const searched = { ...column, dictionary: undefined, kernels: undefined, openContent };
    const found = classifyBlock({ offset: 0, size: 19 }, words(ordinal), searched, DEFAULT_LIMITS);
    expect(found?.kind).toBe(kind);
  });
});

test("arrays that are null are refused in a column without nulls", async () => {
  const options = { type: "INT32", encoding: "PLAIN_ENCODING", nullable: true, array: true } as const;
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  await writer.append(batchFromValues(options, [[1, 2], null, []]));
  await writer.finish();
  const [block = { offset: 0, size: 0 }] = await (
    await openCFile(memorySource(sink.bytes()))
  ).listDataBlocks();
  const content = sink.bytes().subarray(block.offset, block.offset + block.size - 4);
  const column = { ...options, dictionary: undefined, kernels: undefined };
  const open = await loadDataBlockOpener(column, ENCODINGS);
  expect(open(content, column, DEFAULT_LIMITS).rows).toBe(3);
  expect(() => open(content, { ...column, nullable: false }, DEFAULT_LIMITS)).toThrow(
    expect.objectContaining({ code: "E_CORRUPT", field: "array bitmap" }),
  );
});

test("buffers have room for a header in front of the blocks, and grow in steps", () => {
  expect([roomFor(100), roomFor(1 << 18), roomFor(1 << 19), roomFor(1 << 20)]).toEqual([
    4196,
    (1 << 18) + 4096,
    1 << 20,
    3 << 19,
  ]);
});

describe("reading", () => {
  const numbers = Array.from({ length: 1000 }, (_, i) => i);
  const options = { type: "INT32", encoding: "PLAIN_ENCODING", blockSize: 512, batchRows: 10 } as const;
  const bytes = (async () => {
    const sink = memorySink();
    const writer = new CFileWriter(sink, options);
    await writer.append(batchFromValues(options, numbers));
    await writer.finish();
    return sink.bytes();
  })();

  test("the same row twice gives it twice", async () => {
    const reader = await openCFile(memorySource(await bytes));
    expect(await reader.getMany([700, 3, 700, 3, 3])).toEqual([700, 3, 700, 3, 3]);
    expect(await reader.getMany([700, 3])).toEqual([700, 3]);
  });

  test("from another machine does not begin if the signal is aborted", async () => {
    let reads = 0;
    const { read, ...rest } = memorySource(await bytes);
    const source = {
      ...rest,
      isMemory: false,
      traffic: { requests: 0, bytes: 0, milliseconds: 0 },
      read: (offset: number, length: number) => {
        reads++;
        return read(offset, length);
      },
    };
    const reader = await openCFile(source);
    const before = reads;
    const signal = AbortSignal.abort(new RangeError("enough"));
    await expect(reader.scan({ signal }).next()).rejects.toThrow("enough");
    expect(reads).toBe(before);
  });

  test("long groups of blocks uses memory in steps", async () => {
    const { read, size } = memorySource(await bytes);
    const reader = await openCFile({ name: "local", read, size });
    const arena = new MemoryArena();
    let rows = 0;
    for await (const batch of reader.scan({ arena })) {
      rows += batch.length;
    }
    expect(rows).toBe(1000);
  });
});
