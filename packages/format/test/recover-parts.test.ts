/** Unit tests of recovery: kinds of files, walks of blocks without checksums, chains of blocks, order. */
import { crc32c, DEFAULT_LIMITS } from "@cfile/bytes";
import { builtinCodecs } from "@cfile/compression/codecs";
import { batchFromValues } from "@cfile/encodings/batches";
import { ENCODINGS } from "@cfile/encodings/write";
import { memorySink, memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadDataBlockOpener } from "../src/blocks/load-data-block-opener.js";
import { openCFile } from "../src/index.js";
import { chooseChain } from "../src/recover/rows/row-chain.js";
import { probeCodeBlock, probeDataBlock } from "../src/recover/search/block-probe.js";
import { DamagedSource } from "../src/recover/search/damaged-source.js";
import { walkStatedBlocks } from "../src/recover/stated-walk.js";
import { damagedFileKind, findStoredBlocks, scanDamagedCFile } from "../src/recover.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

async function written(
  options: WriterOptions,
  values: readonly (number | string | null)[],
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  await writer.append(batchFromValues(options, values));
  await writer.finish();
  return sink.bytes();
}

const INT8 = { type: "INT8", encoding: "PLAIN_ENCODING", nullable: false, array: false } as const;
const COLUMN = {
  ...INT8,
  dictionary: undefined,
  kernels: undefined,
  openContent: await loadDataBlockOpener(INT8, ENCODINGS),
};

const u32 = (value: number): number[] => [
  value & 255,
  (value >>> 8) & 255,
  (value >>> 16) & 255,
  value >>> 24,
];
/** A plain block of INT8 values. */
const plain = (firstRow: number, ...values: readonly number[]): number[] => [
  ...u32(values.length),
  ...u32(firstRow),
  ...values,
];

describe("the kind of a damaged file", () => {
  const delta = readGolden("deltafile/delta_redo_multiblock.cfile");
  const bloom = readGolden("bloomfile/bloom_small.cfile");

  test("is in its footer, or lost with it", async () => {
    expect(await damagedFileKind(memorySource(bloom))).toBe("bloom");
    expect(await damagedFileKind(memorySource(bloom.subarray(0, -5)))).toBeUndefined();
    expect(await damagedFileKind(memorySource(delta), { limits: {} })).toBe("delta");
  });

  test.each([
    ["a Bloom file as a column", bloom, {}, "cannot recover a bloom file as a column"],
    ["a Bloom file as a delta file", bloom, { kind: "delta" }, "cannot recover a bloom file as a delta file"],
    ["a delta file as a column", delta, {}, "cannot recover a delta file as a column"],
  ] as const)("is not ignored: %s", async (_, bytes, options, message) => {
    await expect(scanDamagedCFile(memorySource(bytes), options)).rejects.toMatchObject({
      code: "E_UNSUPPORTED",
      field: "kind",
      message: expect.stringContaining(message),
    });
  });

  test("delta need not state the type of its values", async () => {
    const { ledger } = await scanDamagedCFile(memorySource(delta.subarray(0, -12)), { kind: "delta" });
    expect(ledger.blocks.some(({ state }) => state !== "lost")).toBe(true);
  });
});

test("stored blocks are found by their checksums, at any place", async () => {
  const block = [1, 2, 3, 4, 5, 6, 7, 8];
  const stored = [...block, ...u32(crc32c(Uint8Array.from(block)))];
  const bytes = Uint8Array.from([9, 9, 9, ...stored, 9, ...stored]);
  const isBlock = (content: Uint8Array) => (content.length === block.length ? [...content] : undefined);
  expect(await findStoredBlocks(memorySource(bytes), isBlock)).toEqual([block, block]);
});

describe("a walk of blocks without checksums", () => {
  const walk = async (bytes: ArrayLike<number>, wrapping: object = {}, limits: object = {}) => {
    const source = memorySource(Uint8Array.from(bytes));
    const file = new DamagedSource(source, bytes.length, { ...DEFAULT_LIMITS, ...limits }, undefined);
    return walkStatedBlocks(file, {
      start: 0,
      end: bytes.length,
      firstRow: 0,
      wrapping: { version: 2, checksums: false, codec: undefined, kernels: undefined, ...wrapping },
      column: COLUMN,
    });
  };
  const codec = builtinCodecs.SNAPPY;
  /** Snappy: the length, and one literal. */
  const compressed = (content: readonly number[]): number[] => {
    const snappy = [content.length, (content.length - 1) << 2, ...content];
    return [...u32(snappy.length), ...u32(content.length), ...snappy];
  };

  test("goes from each block to the next", async () => {
    const { blocks, problem } = await walk([...plain(0, 1, 2, 3), ...plain(3, 4)]);
    expect([blocks.map(({ block }) => block.offset), problem]).toEqual([[0, 11], undefined]);
  });

  test("reads more of a block that is longer than what was read", async () => {
    const long = new Uint8Array(200_008);
    long.set([...u32(200_000), ...u32(0)]);
    expect((await walk(long)).blocks.map(({ span }) => span.rows)).toEqual([200_000]);
  });

  test("goes over compressed blocks of the first version", async () => {
    const { blocks } = await walk([...compressed(plain(0, 1)), ...compressed(plain(1, 2))], {
      version: 1,
      codec,
    });
    expect(blocks.length).toBe(2);
  });

  test.each<[string, number[], object, string, string]>([
    ["blocks that are not consecutive", [...plain(0, 1), ...plain(2, 1)], {}, "E_CORRUPT", "ordinal"],
    ["half a block", plain(0, 1, 2).slice(0, -1), {}, "E_TRUNCATED", ""],
    [
      "compressed blocks, whose length is unknown",
      compressed(plain(0, 1)),
      { codec },
      "E_UNSUPPORTED",
      "compression",
    ],
    ["half of the sizes", [1, 2, 3], { version: 1, codec }, "E_TRUNCATED", "compressed size"],
    [
      "half a compressed block",
      compressed(plain(0, 1)).slice(0, -1),
      { version: 1, codec },
      "E_TRUNCATED",
      "compressed size",
    ],
  ])("ends at %s", async (_, bytes, wrapping, code, field) => {
    const { problem } = await walk(bytes, wrapping);
    expect(problem).toMatchObject(field === "" ? { code } : { code, field });
  });
});

describe("the rows of a block", () => {
  test.each([
    ["none", plain(0), "E_CORRUPT", "row count"],
    ["more than a file can have", plain(0xffff_ffff, 1, 2), "E_CORRUPT", "ordinal"],
  ])("must not be %s", (_, bytes, code, field) => {
    expect(() => probeDataBlock(Uint8Array.from(bytes), COLUMN, DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ code, field }),
    );
  });

  test("must not exceed the limit", () => {
    const limits = { ...DEFAULT_LIMITS, maxBlockRows: 2 };
    expect(() => probeDataBlock(Uint8Array.from(plain(0, 1, 2, 3)), COLUMN, limits)).toThrow(
      expect.objectContaining({ code: "E_LIMIT", field: "row count" }),
    );
  });

  test("must be as many as the codes of a column with nulls say", async () => {
    const options = { type: "STRING", encoding: "DICT_ENCODING", nullable: true } as const;
    const words = Array.from({ length: 64 }, (_, i) => (i === 5 ? null : `word ${i % 3}`));
    const bytes = await written(options, words);
    const [{ offset, size } = { offset: 0, size: 0 }] = await (
      await openCFile(memorySource(bytes))
    ).listDataBlocks();
    const stored = bytes.subarray(offset, offset + size - 4);
    const column = { ...options, array: false, dictionary: undefined, kernels: undefined };
    expect(probeCodeBlock(stored, column, DEFAULT_LIMITS)).toEqual({ firstRow: 0, rows: 64 });
    const forged = stored.slice();
    // In the run-length encoded bitmap, row 5 also has a value: one run of 64.
    const { dataStart } = nullableHead(forged);
    const head = [0x40, 3, 0x80, 1, 1];
    const moved = Uint8Array.from([...head, ...forged.subarray(dataStart)]);
    expect(() => probeCodeBlock(moved, column, DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "value count" }),
    );
  });
});

/** Rows and length of the bitmap, as varints, then the bitmap. */
function nullableHead(bytes: Uint8Array): { dataStart: number } {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++] as number;
      value |= (byte & 127) << shift;
      if (byte < 128) {
        return value;
      }
    }
  };
  varint();
  const length = varint();
  return { dataStart: at + length };
}

describe("a chain of blocks", () => {
  const block = fc.record({
    offset: fc.nat(30),
    size: fc.integer({ min: 1, max: 12 }),
    firstRow: fc.nat(20),
    rows: fc.integer({ min: 1, max: 8 }),
  });
  type Block = { offset: number; size: number; firstRow: number; rows: number };
  const fits = (left: Block, right: Block): boolean =>
    left.offset + left.size <= right.offset && left.firstRow + left.rows <= right.firstRow;

  /** The maximum number of rows of any consistent selection, by brute force. */
  function mostRows(blocks: readonly Block[]): number {
    let most = 0;
    for (let set = 0; set < 1 << blocks.length; set++) {
      const chosen = blocks.filter((_, i) => (set >> i) & 1).sort((a, b) => a.offset - b.offset);
      if (chosen.every((each, i) => i === 0 || fits(chosen[i - 1] as Block, each))) {
        most = Math.max(
          most,
          chosen.reduce((sum, { rows }) => sum + rows, 0),
        );
      }
    }
    return most;
  }

  const isInside = (inner: Block, outer: Block): boolean =>
    inner !== outer &&
    outer.offset <= inner.offset &&
    inner.offset + inner.size <= outer.offset + outer.size &&
    (inner.size < outer.size || inner.offset > outer.offset);

  test("has the most rows that fit together, without blocks inside of others", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(block, { maxLength: 9, selector: ({ offset, size }) => `${offset} ${size}` }),
        (blocks) => {
          const { chain, others } = chooseChain(blocks);
          expect(chain.length + others.length).toBe(blocks.length);
          expect(chain.every((each, i) => i === 0 || fits(chain[i - 1] as Block, each))).toBe(true);
          const outermost = blocks.filter((inner) => !blocks.some((outer) => isInside(inner, outer)));
          expect(chain.reduce((sum, { rows }) => sum + rows, 0)).toBe(mostRows(outermost));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe("the rows that are recovered", () => {
  test.each([
    ["ascend", [1, 2, 3, 4], true],
    ["do not ascend", [1, 3, 2, 4], false],
  ])("%s", async (_, values, expected) => {
    const bytes = await written({ type: "INT32", encoding: "PLAIN_ENCODING" }, values);
    const recovered = await scanDamagedCFile(memorySource(bytes));
    expect(await recovered.isOrdered()).toBe(expected);
  });

  test("are refused if the file changes meanwhile", async () => {
    const bytes = await written(
      { type: "INT32", encoding: "PLAIN_ENCODING", checksums: false },
      [1, 2, 3, 4],
    );
    const recovered = await scanDamagedCFile(memorySource(bytes));
    const [entry] = recovered.ledger.blocks;
    new DataView(bytes.buffer).setUint32((entry?.block?.offset ?? 0) + 4, 7, true);
    await expect(recovered.entries().next()).rejects.toMatchObject({ code: "E_SOURCE_CHANGED" });
  });
});
