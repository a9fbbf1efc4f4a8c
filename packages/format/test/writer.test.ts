import {
  type CellValue,
  DATA_TYPES,
  type DataType,
  DictionaryBatch,
  encodingsOf,
  type InputCell,
} from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import { type ByteSink, memorySink, memorySource } from "@cfile/io";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { openCFile } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

async function write(
  options: WriterOptions,
  appends: readonly (readonly InputCell[])[],
): Promise<Uint8Array> {
  const sink = memorySink();
  const writer = new CFileWriter(sink, options);
  for (const values of appends) {
    await writer.append(batchFromValues(options, values, writer.rowCount));
  }
  await writer.finish();
  return sink.bytes();
}

async function read(bytes: Uint8Array): Promise<CellValue[]> {
  return (await openCFile(memorySource(bytes))).toArray();
}

/** Random values of a type. */
function arbitrary(type: DataType): fc.Arbitrary<CellValue> {
  const { physical } = DATA_TYPES[type];
  switch (physical) {
    case "BOOL":
      return fc.boolean();
    case "FLOAT":
      return fc.float({ noNaN: true });
    case "DOUBLE":
      return fc.double({ noNaN: true });
    case "BINARY":
      return type === "BINARY"
        ? fc.uint8Array({ maxLength: 40 })
        : fc.string({ maxLength: 20, unit: "grapheme" });
    case "INT128":
      return fc.bigInt(-(2n ** 127n), 2n ** 127n - 1n);
    case "INT64":
      return fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n);
    case "UINT64":
      return fc.bigInt(0n, 2n ** 64n - 1n);
    default: {
      const bits = 8 * DATA_TYPES[type].width;
      const signed = physical.startsWith("INT");
      return fc.integer({ min: signed ? -(2 ** (bits - 1)) : 0, max: 2 ** (signed ? bits - 1 : bits) - 1 });
    }
  }
}

const types = (Object.keys(DATA_TYPES) as DataType[]).filter((type) => type !== "IS_DELETED");
const combinations = types.flatMap((type) =>
  encodingsOf(DATA_TYPES[type].physical).map((encoding) => ({ type, encoding })),
);

/** Values with repetitions, for runs and dictionaries. */
const fewValues = (type: DataType): fc.Arbitrary<CellValue[]> =>
  fc
    .tuple(
      fc.array(arbitrary(type), { minLength: 1, maxLength: 40 }),
      fc.nat(900),
      fc.integer({ min: 1, max: 9 }),
    )
    .map(([words, length, run]) =>
      Array.from({ length }, (_, i) => words[(Math.floor(i / run) * 7) % words.length] as CellValue),
    );

describe.each(combinations)("$type $encoding", ({ type, encoding }) => {
  test("the file depends only on batchRows, not on the sizes of appends", async () => {
    await fc.assert(
      fc.asyncProperty(
        fewValues(type),
        fc.constantFrom(1, 3, 64, 100, 256),
        fc.integer({ min: 1, max: 300 }),
        fc.constantFrom(0, 2, 13),
        async (present, unit, piece, nullEvery) => {
          const values = present.map((value, i) => (nullEvery > 0 && i % nullEvery === 1 ? null : value));
          const cut = (rows: number): InputCell[][] =>
            Array.from({ length: Math.ceil(values.length / rows) }, (_, i) =>
              values.slice(i * rows, (i + 1) * rows),
            );
          const options = { type, encoding, nullable: nullEvery > 0, blockSize: 512 } as const;
          const reference = await write({ ...options, batchRows: Number.POSITIVE_INFINITY }, cut(unit));
          expect(await write({ ...options, batchRows: unit }, [values])).toEqual(reference);
          expect(await write({ ...options, batchRows: unit }, cut(piece))).toEqual(reference);
        },
      ),
      { seed: 13, numRuns: 25 },
    );
  });

  test("random columns round-trip, regardless of the sizes of appends", async () => {
    const value = fc.oneof(
      { weight: 4, arbitrary: arbitrary(type) },
      { weight: 1, arbitrary: fc.constant(null) },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 300 }),
        fc.constantFrom("NO_COMPRESSION", "LZ4", "SNAPPY", "ZLIB" as const),
        fc.integer({ min: 1, max: 150 }),
        fc.integer({ min: 1, max: 120 }),
        fc.boolean(),
        async (values, compression, piece, batchRows, checksums) => {
          const options = {
            type,
            encoding,
            compression,
            nullable: true,
            batchRows,
            checksums,
            blockSize: 512,
            indexBlockSize: 100,
          } as const;
          const pieces: InputCell[][] = [];
          for (let i = 0; i < values.length; i += piece) {
            pieces.push(values.slice(i, i + piece));
          }
          const bytes = await write(options, pieces);
          expect(await read(bytes)).toEqual(values);
          expect(await write(options, [values])).toEqual(bytes);
          const file = await openCFile(memorySource(bytes));
          expect((await file.verify()).problems).toEqual([]);
        },
      ),
      { seed: 11, numRuns: 12 },
    );
  });
});

describe("array columns", () => {
  const arrayTypes = combinations.filter(({ type }) => DATA_TYPES[type].physical !== "INT128");

  test.each(arrayTypes)("of $type $encoding round-trip", async ({ type, encoding }) => {
    const element = fc.option(arbitrary(type), { nil: null });
    const cell = fc.option(fc.array(element, { maxLength: 12 }), { nil: null });
    await fc.assert(
      fc.asyncProperty(fc.array(cell, { maxLength: 120 }), async (values) => {
        const options = { type, encoding, array: true, nullable: true, blockSize: 512 } as const;
        const bytes = await write(options, [values]);
        expect(await read(bytes)).toEqual(values);
        expect((await (await openCFile(memorySource(bytes))).verify()).problems).toEqual([]);
      }),
      { seed: 5, numRuns: 8 },
    );
  });
});

describe("a writer rejects", () => {
  const cases: [string, WriterOptions, readonly InputCell[], string, string][] = [
    ["a number out of range", { type: "INT8" }, [1, 2, 200], "E_INVALID_ARGUMENT", "row 2"],
    ["a fraction", { type: "INT32" }, [1.5], "E_INVALID_ARGUMENT", "row 0"],
    ["an inexact number", { type: "INT64" }, [2 ** 60], "E_INVALID_ARGUMENT", "row 0"],
    ["a bigint out of range", { type: "INT128" }, [2n ** 127n], "E_INVALID_ARGUMENT", "row 0"],
    ["text for a number", { type: "INT32" }, [1, "2"], "E_INVALID_ARGUMENT", "row 1"],
    ["a number for text", { type: "STRING" }, ["a", 2], "E_INVALID_ARGUMENT", "row 1"],
    ["text for bytes", { type: "BINARY" }, ["a"], "E_INVALID_ARGUMENT", "row 0"],
    ["a number for a bool", { type: "BOOL" }, [1], "E_INVALID_ARGUMENT", "row 0"],
    ["a null in a column that is not nullable", { type: "INT32" }, [1, null], "E_INVALID_ARGUMENT", "row 1"],
    ["a value for an array", { type: "INT32", array: true }, [[1], 2], "E_INVALID_ARGUMENT", "row 1"],
    [
      "a null array in a column that is not nullable",
      { type: "INT32", array: true },
      [[1], null],
      "E_INVALID_ARGUMENT",
      "row 1",
    ],
    [
      "an element out of range",
      { type: "INT8", array: true },
      [[1], [2, 300]],
      "E_INVALID_ARGUMENT",
      "row 1, element 1",
    ],
    [
      "an array of 65536 elements",
      { type: "INT8", array: true },
      [Array(65536).fill(0)],
      "E_INVALID_ARGUMENT",
      "65536",
    ],
    [
      "descending values with a value index",
      { type: "INT32", validx: true },
      [1, 3, 2],
      "E_INVALID_ARGUMENT",
      "row 2",
    ],
    [
      "descending text with a value index",
      { type: "STRING", validx: true },
      ["a", "b", "ab"],
      "E_INVALID_ARGUMENT",
      "row 2",
    ],
    [
      "an encoding that the type does not support",
      { type: "DOUBLE", encoding: "RLE" },
      [],
      "E_UNSUPPORTED",
      "BIT_SHUFFLE, PLAIN_ENCODING",
    ],
    [
      "a value index on floating-point values",
      { type: "FLOAT", validx: true },
      [],
      "E_UNSUPPORTED",
      "value index",
    ],
    [
      "a value index on a nullable column",
      { type: "INT32", validx: true, nullable: true },
      [],
      "E_UNSUPPORTED",
      "value index",
    ],
    ["arrays of INT128", { type: "INT128", array: true }, [], "E_UNSUPPORTED", "arrays"],
    ["a block size of 0", { type: "INT32", blockSize: 0 }, [], "E_INVALID_ARGUMENT", "blockSize"],
    ["a fractional batchRows", { type: "INT32", batchRows: 0.5 }, [], "E_INVALID_ARGUMENT", "batchRows"],
    [
      "too much metadata",
      { type: "INT32", headerMetadata: [{ key: "k", value: new Uint8Array(70000) }] },
      [],
      "E_INVALID_ARGUMENT",
      "header",
    ],
  ];

  test.each(cases)("%s", async (_, options, values, code, message) => {
    const result = write(options, [values]);
    await expect(result).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("descending values in the next append or unit", async () => {
    const options = { type: "INT64", validx: true, batchRows: 2 } as const;
    await expect(write(options, [[1, 2, 3], [2]])).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
    expect(await read(await write(options, [[-5n, 2n, 3n], [3n]]))).toEqual([-5n, 2n, 3n, 3n]);
  });

  test("a block of more than 16 MiB with compression", async () => {
    const options = { type: "STRING", encoding: "PLAIN_ENCODING", compression: "LZ4" } as const;
    await expect(write(options, [["x".repeat(17 << 20)]])).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      message: expect.stringContaining("maxBlockSize"),
    });
  });
});

describe("after an error or abort", () => {
  function recordingSink(failAt: number): ByteSink & { log: string[] } {
    const log: string[] = [];
    let writes = 0;
    return {
      name: "sink",
      log,
      write: async () => {
        log.push("write");
        if (++writes > failAt) {
          throw new Error("disk full");
        }
      },
      close: async () => {
        log.push("close");
      },
      abort: async () => {
        log.push("abort");
      },
    };
  }

  test("the sink is aborted, not closed, and the writer rejects further calls", async () => {
    const sink = recordingSink(1);
    const writer = new CFileWriter(sink, { type: "INT32" });
    await writer.append(batchFromValues({ type: "INT32" }, [1, 2]));
    await expect(writer.finish()).rejects.toThrow("disk full");
    expect(sink.log).toEqual(["write", "write", "abort"]);
    await expect(writer.finish()).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });

  test("the sink is aborted only once; after finish, abort does nothing", async () => {
    const sink = recordingSink(99);
    const writer = new CFileWriter(sink, { type: "INT32" });
    await writer[Symbol.asyncDispose]();
    await writer.abort();
    expect(sink.log).toEqual(["abort"]);
    const finished = recordingSink(99);
    const other = new CFileWriter(finished, { type: "INT32" });
    await other.finish();
    await other[Symbol.asyncDispose]();
    expect(finished.log.at(-1)).toBe("close");
    expect(finished.log).not.toContain("abort");
  });
});

test("each append is one unit if batchRows is Infinity", async () => {
  const options = {
    type: "INT32",
    encoding: "PLAIN_ENCODING",
    blockSize: 512,
    batchRows: Number.POSITIVE_INFINITY,
  } as const;
  const values = Array.from({ length: 1000 }, (_, i) => i);
  const layoutOf = async (bytes: Uint8Array): Promise<number> =>
    (await (await openCFile(memorySource(bytes))).listDataBlocks()).length;
  expect(await layoutOf(await write(options, [values]))).toBe(1);
  expect(await layoutOf(await write({ ...options, batchRows: 100 }, [values]))).toBe(5);
});

test("metadata is found by key, header before footer", async () => {
  const sink = memorySink();
  const pair = (key: string, text: string) => ({ key, value: new TextEncoder().encode(text) });
  const writer = new CFileWriter(sink, {
    type: "INT32",
    headerMetadata: [pair("a", "head")],
    footerMetadata: [pair("b", "foot")],
  });
  writer.addMetadata("a", new TextEncoder().encode("shadowed"));
  await writer.finish();
  const file = await openCFile(memorySource(sink.bytes()));
  const text = (key: string): string => new TextDecoder().decode(file.metadata(key));
  expect([text("a"), text("b"), file.metadata("c")]).toEqual(["head", "foot", undefined]);
});

test.each([
  ["beyond the words", [0, 2], 2],
  ["below zero", [-1, 0], 2],
  ["far below zero", [-(2 ** 31), 0], 2],
  ["missing", [0], 2],
])("refuses a batch with a code that is %s", async (_what, codes, length) => {
  const dictionary = {
    kind: "binary",
    length: 2,
    offsets: Int32Array.of(0, 1, 2),
    data: Uint8Array.of(97, 98),
  } as const;
  const rows = { type: "STRING", length, firstRow: 0, validity: undefined, nullCount: 0 } as const;
  const writer = new CFileWriter(memorySink(), { type: "STRING" });
  const batch = new DictionaryBatch(rows, Int32Array.from(codes), dictionary);
  await expect(writer.append(batch)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT", field: "codes" });
  expect(writer.rowCount).toBe(0);
});
