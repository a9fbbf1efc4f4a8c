import {
  type CellValue,
  type ColumnBatch,
  type DataType,
  type EncodingType,
  rowNumbers,
} from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { Condition } from "@cfile/encodings/conditions";
import { memorySink, memorySource } from "@cfile/io";
import { withMetrics } from "@cfile/io/decorators";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CFileReader, openCFile, type ScanOptions } from "../src/index.js";
import { CFileWriter, type WriterOptions } from "../src/write.js";

async function fileOf(options: WriterOptions, cells: readonly CellValue[]) {
  const sink = memorySink();
  const writer = new CFileWriter(sink, { blockSize: 1024, ...options });
  for (let from = 0; from < cells.length; from += 100) {
    await writer.append(batchFromValues(options, cells.slice(from, from + 100)));
  }
  await writer.finish();
  const source = withMetrics(memorySource(sink.bytes()));
  return { source, size: sink.bytes().length, reader: await openCFile(source) };
}

/** Options with one condition. */
type SelectOptions = ScanOptions & { readonly where: Condition };

async function select(reader: CFileReader, options: SelectOptions): Promise<[number, CellValue][]> {
  const found: [number, CellValue][] = [];
  for await (const batch of reader.scan(options)) {
    const rows = rowNumbers(batch);
    expect(rows.length).toBe(batch.length);
    expect(rows[0]).toBe(batch.firstRow);
    expect(batch.length).toBeGreaterThan(0);
    for (const [i, cell] of batch.toArray().entries()) {
      found.push([rows[i] ?? -1, cell]);
    }
  }
  return found;
}

/** A straightforward implementation of conditions. */
function fulfils(cell: CellValue, where: Condition): boolean {
  switch (where.op) {
    case "isNull":
      return cell === null;
    case "isNotNull":
      return cell !== null;
    case "in":
      return cell !== null && where.values.some((value) => value === cell);
    case "prefix":
      return typeof cell === "string" && cell.startsWith(String(where.value));
    default: {
      if (cell === null || where.value === null) {
        return false;
      }
      const { op, value } = where;
      const order = cell < value ? -1 : cell > value ? 1 : 0;
      return (
        (order === 0 && (op === "=" || op === "<=" || op === ">=")) ||
        (order < 0 && (op === "<" || op === "<=")) ||
        (order > 0 && (op === ">" || op === ">="))
      );
    }
  }
}

function filter(cells: readonly CellValue[], { where, limit, rows }: SelectOptions): [number, CellValue][] {
  return cells
    .map((cell, row): [number, CellValue] => [row, cell])
    .filter(
      ([row, cell]) => row >= (rows?.from ?? 0) && row < (rows?.to ?? cells.length) && fulfils(cell, where),
    )
    .slice(0, limit);
}

const numberWheres = (value: fc.Arbitrary<number>): fc.Arbitrary<Condition> =>
  fc.oneof(
    fc.record({ op: fc.constantFrom<"=" | "<" | "<=" | ">" | ">=">("=", "<", "<=", ">", ">="), value }),
    fc.record({ op: fc.constant<"in">("in"), values: fc.array(value, { maxLength: 5 }) }),
    fc.record({ op: fc.constantFrom<"isNull" | "isNotNull">("isNull", "isNotNull") }),
  );

const restrictions = fc.record(
  {
    limit: fc.nat(2500),
    rows: fc.record({ from: fc.nat(2100), to: fc.nat(2100) }, { requiredKeys: [] }),
    batchRows: fc.constantFrom(1, 7, 100_000),
    expandDictionaries: fc.boolean(),
  },
  { requiredKeys: [] },
);

const ROWS = 2000;
const sorted = Array.from({ length: ROWS }, (_, row) => Math.floor(row / 3) * 2);
const shuffled = Array.from({ length: ROWS }, (_, row) => ((row * 7919) % 1400) - 10);
const withNulls = shuffled.map((cell, row) => (row % 1000 < 600 || row % 5 === 0 ? null : cell));
const words = Array.from({ length: ROWS }, (_, row) => `${"abc"[row % 3]}${row % 11}`);
const sortedWords = [...words].sort();
const lateWords = Array.from({ length: 8000 }, (_, row) =>
  row < 7500 ? (words[row % ROWS] ?? "") : `${"long".repeat(9)}-${row}`,
);
/** More words than a dictionary of 1 KiB holds: the later blocks are plain. */
const manyWords = words.map((word, row) => (row < 300 ? word : `${word}-${(row * 7919) % 1999}`));

type Column = [name: string, options: WriterOptions, cells: readonly CellValue[]];
const column = (
  type: DataType,
  encoding: EncodingType,
  rest: Partial<WriterOptions> = {},
): WriterOptions => ({
  type,
  encoding,
  posidx: true,
  ...rest,
});
const numbers: Column[] = [
  ["sorted, indexed", column("INT32", "PLAIN_ENCODING", { validx: true }), sorted],
  ["sorted, indexed by value only", column("INT32", "BIT_SHUFFLE", { validx: true, posidx: false }), sorted],
  ["sorted, without an index", column("INT32", "RLE"), sorted],
  ["without order", column("INT16", "BIT_SHUFFLE"), shuffled],
  ["with nulls", column("INT32", "PLAIN_ENCODING", { nullable: true }), withNulls],
  ["with floating-point type", column("DOUBLE", "BIT_SHUFFLE"), shuffled],
];
const strings: Column[] = [
  ["with a dictionary", column("STRING", "DICT_ENCODING"), words],
  ["with a full dictionary", column("STRING", "DICT_ENCODING"), manyWords],
  [
    "with a full dictionary, and nulls",
    column("STRING", "DICT_ENCODING", { nullable: true }),
    manyWords.map((word, row) => (row % 7 === 0 || row > 1900 ? null : word)),
  ],
  ["sorted, with a dictionary, indexed", column("STRING", "DICT_ENCODING", { validx: true }), sortedWords],
  ["sorted, prefix, indexed", column("STRING", "PREFIX_ENCODING", { validx: true }), sortedWords],
  ["plain", column("STRING", "PLAIN_ENCODING"), words],
];

describe("a scan with conditions matches a plain filter", () => {
  test.each(numbers)("on numbers %s", async (_name, options, cells) => {
    const { reader } = await fileOf(options, cells);
    await fc.assert(
      fc.asyncProperty(
        numberWheres(fc.integer({ min: -20, max: 1410 })),
        restrictions,
        async (where, rest) => {
          expect(await select(reader, { where, ...rest })).toEqual(filter(cells, { where, ...rest }));
        },
      ),
      { seed: 11, numRuns: 60 },
    );
  });

  test.each(strings)("on strings %s", async (_name, options, cells) => {
    const { reader } = await fileOf(options, cells);
    const value = fc.constantFrom("", "a", "a1", "b", "b10", "b7", "c", "c9", "d");
    const wheres: fc.Arbitrary<Condition> = fc.oneof(
      fc.record({ op: fc.constantFrom<"=" | "<" | "<=" | ">" | ">=">("=", "<", "<=", ">", ">="), value }),
      fc.record({ op: fc.constant<"in">("in"), values: fc.array(value, { maxLength: 5 }) }),
      fc.record({ op: fc.constant<"prefix">("prefix"), value }),
    );
    await fc.assert(
      fc.asyncProperty(wheres, restrictions, async (where, rest) => {
        expect(await select(reader, { where, ...rest })).toEqual(filter(cells, { where, ...rest }));
      }),
      { seed: 12, numRuns: 60 },
    );
  });
});

describe("a scan with conditions reads only what is required:", () => {
  test("the blocks that a value index leads to", async () => {
    const { reader, source } = await fileOf(column("INT32", "PLAIN_ENCODING", { validx: true }), sorted);
    const { reads } = source.metrics;
    expect(await select(reader, { where: { op: "=", value: 700 } })).toEqual([
      [1050, 700],
      [1051, 700],
      [1052, 700],
    ]);
    // Reads of both indexes and of the block.
    expect(source.metrics.reads - reads).toBeLessThanOrEqual(3);
  });

  test("nothing for isNull on a column without nulls", async () => {
    const { reader, source } = await fileOf(column("INT32", "PLAIN_ENCODING"), sorted);
    const { reads } = source.metrics;
    expect(await select(reader, { where: { op: "isNull" } })).toEqual([]);
    expect(await select(reader, { where: { op: "=", value: 0 }, limit: 0 })).toEqual([]);
    expect(source.metrics.reads).toBe(reads);
  });

  test("nothing after the limit is reached", async () => {
    const { reader, source, size } = await fileOf(column("STRING", "PLAIN_ENCODING"), words);
    const { bytes } = source.metrics;
    const where = { op: "prefix", value: "a" } as const;
    expect((await select(reader, { where, limit: 3, rows: { to: 100 } })).length).toBe(3);
    expect(source.metrics.bytes - bytes).toBeLessThan(size / 3);
  });
});

describe("a scan throws E_INVALID_ARGUMENT for", () => {
  test.each<[string, SelectOptions]>([
    ["an unknown operator", { where: JSON.parse('{"op":"~","value":1}') }],
    ["a value of the wrong type", { where: { op: "=", value: "x" } }],
    ["a value out of range", { where: { op: "<", value: 2 ** 40 } }],
    ["null", { where: { op: "=", value: null } }],
    ["a prefix condition on numbers", { where: { op: "prefix", value: "1" } }],
    ["a negative limit", { where: { op: "isNotNull" }, limit: -1 }],
  ])("%s", async (_name, options) => {
    const { reader } = await fileOf(column("INT32", "PLAIN_ENCODING", { validx: true }), sorted);
    await expect(select(reader, options)).rejects.toMatchObject({ code: "E_INVALID_ARGUMENT" });
  });
});

describe("getMany returns the cells", () => {
  test.each([...numbers, ...strings])("of a column %s", async (_name, options, cells) => {
    const { reader } = await fileOf(options, cells);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(ROWS - 1), { maxLength: 50 }), async (rows) => {
        expect(await reader.getMany(rows)).toEqual(rows.map((row) => cells[row]));
      }),
      { seed: 5, numRuns: 20 },
    );
    await expect(reader.getMany([0, ROWS])).rejects.toMatchObject({ code: "E_NOT_FOUND" });
    await expect(reader.getMany([0.5])).rejects.toMatchObject({ code: "E_NOT_FOUND" });
  });
});

describe("a search for a word that is not in the dictionary", () => {
  const options = column("STRING", "DICT_ENCODING");
  const none: Condition = { op: "=", value: "abc" };

  test("reads no data blocks if all of them consist of codes", async () => {
    const { reader, source, size } = await fileOf({ ...options, blockSize: 4096 }, words);
    const before = { ...source.metrics };
    expect(await select(reader, { where: none })).toEqual([]);
    const dictionary = reader.structure.footer.dictionary?.size ?? 0;
    // The index was read with the footer.
    expect(source.metrics.bytes - before.bytes).toBe(dictionary);
    expect(dictionary).toBeLessThan(size / 4);
  });

  test.each([
    ["reads the last block of a nullable column", true, words],
    ["reads the blocks after the codes", false, lateWords],
  ])("%s", async (_name, nullable, cells) => {
    const { reader, source } = await fileOf({ ...options, nullable }, cells);
    const { posidx } = await reader.layout();
    expect(posidx?.entries.length).toBeGreaterThan(4);
    const before = source.metrics.bytes;
    expect(await select(reader, { where: none })).toEqual([]);
    const stored = posidx?.entries.reduce((sum, { size }) => sum + size, 0) ?? 0;
    expect(source.metrics.bytes - before).toBeLessThan(stored);
    const last = cells.length - 1;
    expect(await select(reader, { where: { op: "=", value: cells[last] ?? "" } })).toContainEqual([
      last,
      cells[last],
    ]);
  });
});

describe("scan", () => {
  test("combines several conditions, a range of rows and a limit", async () => {
    const { reader } = await fileOf(column("INT32", "PLAIN_ENCODING", { validx: true }), sorted);
    const where: Condition = { op: "in", values: [100, 104, 106] };
    const cells = await reader.toArray({ where: [where, { op: ">=", value: 102 }], limit: 4 });
    expect(cells).toEqual([104, 104, 104, 106]);
    expect(await reader.toArray({ where, rows: { to: 152 } })).toEqual([100, 100]);
  });

  test.each([0, 1, 77, 5000])("returns at most %d rows", async (limit) => {
    const { reader } = await fileOf(column("INT32", "PLAIN_ENCODING", { validx: true }), sorted);
    expect(await reader.toArray({ limit })).toEqual(sorted.slice(0, limit));
    expect(await reader.toArray({ limit, where: { op: ">=", value: 200 } })).toEqual(
      sorted.slice(300).slice(0, limit),
    );
  });

  test.each([-1, Number.NaN])("rejects a limit of %d", async (limit) => {
    const { reader } = await fileOf(column("INT32", "PLAIN_ENCODING"), sorted);
    await expect(reader.toArray({ limit })).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "limit",
    });
  });
});

describe("batches of a scan with conditions", () => {
  const cells = Array.from({ length: 3000 }, (_, row) => row % 1000);
  const kinds: readonly (readonly [string, Condition])[] = [
    ["all rows", { op: ">=", value: 0 }],
    ["consecutive rows of blocks", { op: ">=", value: 500 }],
    ["few rows", { op: "in", values: [0, 7, 8, 9, 333, 999] }],
  ];

  test.each(kinds)("with %s keep their cells when the scan continues", async (_, where) => {
    for (const encoding of ["PLAIN_ENCODING", "BIT_SHUFFLE", "RLE"] as const) {
      const { reader } = await fileOf({ type: "INT32", encoding, compression: "LZ4" }, cells);
      for (const batchRows of [7, 60, 100_000]) {
        const expected = await select(reader, { where, batchRows });
        const kept: ColumnBatch[] = [];
        for await (const batch of reader.scan({ where, batchRows })) {
          kept.push(batch);
        }
        const found = kept.flatMap((batch) => {
          const rows = rowNumbers(batch);
          return batch.toArray().map((cell, i): [number, CellValue] => [rows[i] ?? -1, cell]);
        });
        expect(found).toEqual(expected);
        expect(found).toEqual(cells.flatMap((cell, row) => (fulfils(cell, where) ? [[row, cell]] : [])));
      }
    }
  });
});
