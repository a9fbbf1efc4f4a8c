/** Unit tests of reading: limits, headers, footers, keys, selections. */
import { crc32c, DEFAULT_LIMITS, MemoryArena } from "@cfile/bytes";
import { builtinCodecs } from "@cfile/compression/codecs";
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink, memorySource } from "@cfile/io";
import { readGolden } from "@cfile-tools/testkit";
import { describe, expect, test } from "vitest";
import { decodeMessage } from "../src/file/message.js";
import {
  type CFileReader,
  DELTA_INDEX_KEYS,
  deltaRowEnd,
  openCFile,
  parseFooter,
  tableOfFiles,
} from "../src/index.js";
import { DamagedSource } from "../src/recover/search/damaged-source.js";
import { longBlockStart } from "../src/recover/search/long-block-start.js";
import { CFileWriter, encodeFooter, type WriterOptions } from "../src/write.js";

async function written(options: WriterOptions, values: readonly CellValue[]): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { blockSize: 512, batchRows: 10, ...options });
  await writer.append(batchFromValues(options, values));
  await writer.finish();
  return sink.bytes();
}

const open = (bytes: Uint8Array, options = {}): Promise<CFileReader> =>
  openCFile(memorySource(bytes), options);
const numbers = Array.from({ length: 1000 }, (_, i) => i);
const plain = { type: "INT32", encoding: "PLAIN_ENCODING" } as const;
const file = await written(plain, numbers);

describe("a limit", () => {
  test("of stored blocks is respected", async () => {
    const reader = await open(file, { limits: { maxStoredBlockSize: 100 } });
    await expect(reader.get(0)).rejects.toMatchObject({ code: "E_LIMIT", field: "block pointer" });
  });

  test("of stored blocks is respected in recovery", async () => {
    const limits = { ...DEFAULT_LIMITS, maxStoredBlockSize: 100 };
    const source = new DamagedSource(memorySource(file), file.length, limits, undefined);
    const wrapping = { version: 2, checksums: true, codec: undefined, kernels: undefined } as const;
    await expect(source.block({ offset: 12, size: 101 }, wrapping)).rejects.toMatchObject({
      code: "E_LIMIT",
      field: "block pointer",
    });
  });
});

describe("a footer", () => {
  test("with unknown features but without the field of known ones is refused by name", () => {
    const { footerRange } = {
      footerRange: file.length - 12 - new DataView(file.buffer).getUint32(file.length - 4, true),
    };
    const footer = parseFooter(file.subarray(footerRange, -12));
    expect(() => parseFooter(encodeFooter({ ...footer, incompatibleFeatures: 0x40 }))).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED", message: expect.stringContaining("0x40") }),
    );
  });

  test("that cannot be decoded names the cause, typed or not", () => {
    for (const cause of [new RangeError("too deep"), "text"]) {
      const decode = () => {
        throw cause;
      };
      expect(() => decodeMessage(new Uint8Array(0), "footer", decode)).toThrow(
        expect.objectContaining({
          code: "E_CORRUPT",
          field: "footer",
          message: expect.stringContaining(String(cause)),
        }),
      );
    }
  });
});

describe("a header", () => {
  test("that reaches into the footer is refused", async () => {
    const bytes = await written({ ...plain, checksums: false }, [1]);
    const length = new DataView(bytes.buffer).getUint32(bytes.length - 4, true);
    const header = bytes.length - 12 - length - 12 + 2;
    const forged = bytes.slice();
    new DataView(forged.buffer).setUint32(8, header, true);
    // One unknown field fills the whole message.
    forged.set([0x7a, header - 2], 12);
    await expect(open(forged)).rejects.toMatchObject({ code: "E_CORRUPT", field: "header length" });
  });
});

describe("keys of delta files", () => {
  test("end with the row number, or with the value", () => {
    const bytes = Uint8Array.of(0x81, 0x99, 7);
    expect(
      [deltaRowEnd(bytes, 0, 3), deltaRowEnd(bytes, 0, 1), deltaRowEnd(bytes, 2, 2)].every((end) => end <= 3),
    ).toBe(true);
    expect(deltaRowEnd(bytes, 2, 2)).toBe(2);
  });

  test("are only in columns of bytes", () => {
    const batch = batchFromValues({ type: "INT32" }, [1]);
    expect(() => DELTA_INDEX_KEYS.keyOf(batch as never, 0)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "batch" }),
    );
  });
});

describe("codecs of the caller", () => {
  test("are used in place of the own ones", async () => {
    const compressed = await written({ ...plain, compression: "SNAPPY" }, new Array(1000).fill(7));
    let calls = 0;
    const { SNAPPY } = builtinCodecs;
    const counting = {
      ...SNAPPY,
      decompress(input: Uint8Array, output: Uint8Array) {
        calls++;
        SNAPPY.decompress(input, output);
      },
    };
    const reader = await open(compressed, { codecs: { ...builtinCodecs, SNAPPY: counting } });
    expect(await reader.get(5)).toBe(7);
    expect(calls).toBeGreaterThan(0);
  });

  test("may be missing", async () => {
    const compressed = await written({ ...plain, compression: "SNAPPY" }, new Array(1000).fill(7));
    await expect(open(compressed, { codecs: {} })).rejects.toMatchObject({ code: "E_UNSUPPORTED" });
  });
});

describe("the start of a long compressed block", () => {
  const column = { ...plain, nullable: false, array: false, dictionary: undefined, kernels: undefined };
  const limits = { maxBlockSize: 1000 } as never;
  const bytes = Uint8Array.from([100, 0, 0, 0, 200, 0, 0, 0]);

  test.each([
    ["of version 1 has its size after the compressed one", 1, 400, true],
    ["of version 2 begins with its size", 2, 200, true],
    ["of version 2 is not much shorter than its size", 2, 400, false],
  ] as const)("%s", (_, version, minSize, expected) => {
    const wrapping = { version, checksums: true, codec: builtinCodecs.SNAPPY, kernels: undefined };
    expect(longBlockStart(column, wrapping, limits)(bytes, 0, minSize)).toBe(expected);
  });
});

const sorted = await written({ ...plain, validx: true }, numbers);
const binary = await written(
  { type: "BINARY", validx: true },
  numbers.map((i) => Uint8Array.of(i >> 8, i)),
);
const words = await written(
  { type: "STRING", encoding: "DICT_ENCODING" },
  numbers.map((i) => ["a", "b", "c"][i % 3] ?? ""),
);

describe("a selection", () => {
  const rowsOf = async (bytes: Uint8Array, options: object): Promise<number> => {
    let rows = 0;
    for await (const batch of (await open(bytes)).scan(options)) {
      rows += batch.length;
    }
    return rows;
  };

  test("of no values has no candidates", async () => {
    const none = await (await open(sorted)).candidateRows({ where: { op: "in", values: [] } });
    expect(none).toEqual({ from: 1000, to: 0 });
    expect(await (await open(sorted)).candidateRows({ where: { op: ">=", value: 990 } })).toEqual({
      from: 990,
      to: 1000,
    });
  });

  test("can use the memory of the caller", async () => {
    const arena = new MemoryArena();
    const where = { op: ">", value: 900 } as const;
    expect(await rowsOf(file, { where, arena })).toBe(99);
    expect(await rowsOf(file, { where })).toBe(99);
  });

  test("finds bytes by the value index", async () => {
    expect(await rowsOf(binary, { where: { op: ">=", value: Uint8Array.of(3, 0) } })).toBe(1000 - 768);
    expect(await rowsOf(binary, { where: { op: "=", value: Uint8Array.of(3, 0) } })).toBe(1);
  });

  test("skips blocks of codes whose dictionary has no such word", async () => {
    expect(await rowsOf(words, { where: { op: "=", value: "x" } })).toBe(0);
    expect(await rowsOf(words, { where: { op: "=", value: "b" } })).toBe(333);
    expect(await rowsOf(words, { where: { op: "=", value: "b" }, limit: 5, batchRows: 7 })).toBe(5);
  });

  test("of nulls skips blocks without nulls, and of values those with nothing else", async () => {
    const values = numbers.map((i) => (i < 400 ? i : null));
    const bytes = await written({ ...plain, nullable: true, encoding: "BIT_SHUFFLE" }, values);
    expect((await (await open(bytes)).listDataBlocks()).length).toBeGreaterThan(2);
    expect(await rowsOf(bytes, { where: { op: "isNull" } })).toBe(600);
    expect(await rowsOf(bytes, { where: { op: ">=", value: 390 } })).toBe(10);
  });

  test("has the words of its dictionary", async () => {
    expect((await (await open(words)).readDictionary())?.length).toBe(3);
    expect(await (await open(file)).readDictionary()).toBeUndefined();
  });
});

test("files are the columns of a table, in the order of their names", async () => {
  const { columns, rows } = tableOfFiles({ b: await open(file), a: await open(file) });
  expect(columns.map(({ name, type }) => [name, type])).toEqual([
    ["b", "INT32"],
    ["a", "INT32"],
  ]);
  let count = 0;
  for await (const batch of rows) {
    count += batch.length;
  }
  expect(count).toBe(1000);
});

describe("verification", () => {
  test("reports indexes that lead to different blocks", async () => {
    const both = await written({ ...plain, validx: true, checksums: false }, numbers);
    const reader = await open(both);
    const [, second] = (await reader.layout()).posidx?.entries ?? [];
    const [root] = (await reader.layout()).posidx?.indexBlocks ?? [];
    const forged = both.slice();
    const size = Buffer.from(forged.buffer).indexOf(
      Uint8Array.from(varint(second?.size ?? 0)),
      (root?.offset ?? 0) + 12,
    );
    forged[size] = (forged[size] as number) ^ 1;
    const { problems } = await (await open(forged)).verify();
    expect(problems).toContainEqual(expect.objectContaining({ field: "validx_info" }));
  });

  test("reports a Bloom block without filter", async () => {
    const bloom = readGolden("bloomfile/bloom_small.cfile");
    const reader = await open(bloom);
    const [block = { offset: 0, size: 0 }] = (await reader.layout()).validx?.entries ?? [];
    const forged = bloom.slice();
    const view = new DataView(forged.buffer);
    // The header of the filter fills the whole block.
    view.setUint32(block.offset, block.size - 8, true);
    const end = block.offset + block.size - 4;
    view.setUint32(end, crc32c(forged, block.offset, end), true);
    const { problems } = await (await open(forged)).verify();
    expect(problems).toContainEqual(expect.objectContaining({ code: "E_CORRUPT", field: "bloom filter" }));
  });
});

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
