/** Nested columns of Parquet files, and rows found by Bloom filters and page indexes. */

import { batchFromValues } from "@cfile/encodings/batches";
import { openParquet } from "@cfile/parquet";
import { scanNested } from "@cfile/parquet/nested";
import { exportParquet } from "@cfile/parquet/write";
import { memorySink } from "cfile";
import { parquetRead, type SchemaElement } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { contender, measure } from "../../measure.js";
import { readWithParquetWasm } from "../../peers.js";
import { effortAt } from "../columns/column-table.js";

const GOAL = 3;
const GOAL_PAGES = 3;
const ROWS = 200_000;
const LOOKUP_ROWS = 1_000_000;
const PEER = "hyparquet";
const WASM_PEER = "parquet-wasm (to Arrow)";
const OURS = "cfile";

const NOTES = [
  "one column of lists in a file of hyparquet-writer, uncompressed, in memory; hyparquet returns arrays, parquet-wasm and cfile vectors in Arrow's layout, and cfile arrays in the row named so",
  "the lookup: one of a million rows by its sorted key, in a file with pages of 1000 rows and Bloom filters; pages of the key and of one other column are counted",
];

interface NestedColumn {
  readonly name: string;
  readonly schema: readonly SchemaElement[];
  cell(row: number): unknown;
}

const list = (name: string, ...element: readonly SchemaElement[]): SchemaElement[] => [
  { name, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
  { name: "list", repetition_type: "REPEATED", num_children: 1 },
  ...element,
];
const range = <T>(length: number, at: (index: number) => T): T[] => Array.from({ length }, (_, i) => at(i));

const COLUMNS: readonly NestedColumn[] = [
  {
    name: "lists of integers",
    schema: list("c", { name: "element", repetition_type: "OPTIONAL", type: "INT64" }),
    cell: (i) => (i % 17 === 0 ? null : range(i % 8, (j) => ((i + j) % 11 === 0 ? null : BigInt(i * j)))),
  },
  {
    name: "lists of strings",
    schema: list("c", {
      ...{ name: "element", repetition_type: "OPTIONAL", type: "BYTE_ARRAY", converted_type: "UTF8" },
    }),
    cell: (i) => range(i % 4, (j) => `word ${(i * 7 + j) % 500}`),
  },
  {
    name: "lists of lists",
    schema: list("c", ...list("element", { name: "element", repetition_type: "OPTIONAL", type: "INT32" })),
    cell: (i) => range(i % 3, (j) => range((i + j) % 4, (k) => i + j + k)),
  },
];

export const parquetNested: BenchCase = {
  name: "parquet-nested",
  title: "Nested columns of Parquet, and lookups by Bloom filter and page index",
  async run(scale) {
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const column of COLUMNS) {
      const timed = await timeColumn(column, scale);
      rows.push(...timed);
      const own = timed.find(({ wanted }) => wanted !== undefined);
      goals.push(atLeast(`${column.name}, times ${PEER}`, GOAL, own?.ratio ?? 0));
    }
    goals.push(atMost("pages of a lookup", GOAL_PAGES, await pagesOfLookUp(scale)));
    return { unit: "M rows/s", peer: PEER, rows, goals, notes: NOTES };
  },
};

async function timeColumn({ name, schema, cell }: NestedColumn, scale: number): Promise<BenchRow[]> {
  const count = Math.max(1000, Math.floor(ROWS * scale));
  const file = parquetWriteBuffer({
    codec: "UNCOMPRESSED",
    columnData: [{ name: "c", data: range(count, cell) }],
    schema: [{ name: "root", num_children: 1 }, ...schema],
  });
  const bytes = new Uint8Array(file);
  const same = (found: number): number => found;
  const timings = await measure(
    [
      contender(PEER, () => peerRows(file), same),
      contender(WASM_PEER, () => readWithParquetWasm(bytes)?.length ?? 0, same),
      contender(OURS, () => ourRows(bytes, false), same),
      contender(`${OURS}, as arrays`, () => ourRows(bytes, true), same),
    ],
    count,
    effortAt(scale),
  );
  const peer = timings[0]?.milliseconds ?? Number.NaN;
  return timings.map(({ contender: own, milliseconds, fastest }) => ({
    contender: `${own}: ${name}`,
    milliseconds,
    fastest,
    rate: count / milliseconds / 1000,
    ratio: peer / milliseconds,
    ...(own === OURS && { wanted: GOAL }),
  }));
}

async function peerRows(file: ArrayBuffer): Promise<number> {
  let rows = 0;
  await parquetRead({
    file,
    onChunk: ({ columnData }) => {
      rows += columnData.length;
    },
  });
  return rows;
}

async function ourRows(bytes: Uint8Array, asArrays: boolean): Promise<number> {
  await using file = await openParquet(bytes);
  let rows = 0;
  for await (const { length, columns } of scanNested(file)) {
    rows += asArrays ? (columns[0]?.toArray().length ?? 0) : length;
  }
  return rows;
}

/** Maximum number of pages, including dictionaries, that a lookup of an existing or a missing key reads. */
async function pagesOfLookUp(scale: number): Promise<number> {
  const count = Math.max(20_000, Math.floor(LOOKUP_ROWS * scale));
  const columns = [
    { name: "key", type: "INT64", nullable: false, array: false },
    { name: "value", type: "DOUBLE", nullable: false, array: false },
  ] as const;
  async function* rows() {
    for (let first = 0; first < count; first += 10_000) {
      const keys = range(10_000, (i) => BigInt(2 * (first + i)));
      const values = range(10_000, (i) => (first + i) / 3);
      const batches = [batchFromValues(columns[0], keys, first), batchFromValues(columns[1], values, first)];
      yield { length: 10_000, firstRow: first, names: ["key", "value"], columns: batches };
    }
  }
  const sink = memorySink();
  await exportParquet(
    sink,
    { columns, rows: rows() },
    { codec: "UNCOMPRESSED", pageRows: 1000, rowGroupRows: 100_000, bloomFilters: ["key"] },
  );
  let pages = 0;
  const counted = (input: Uint8Array): Uint8Array => {
    pages++;
    return input;
  };
  await using file = await openParquet(sink.bytes(), { decompressors: { UNCOMPRESSED: counted } });
  let worst = 0;
  for (let i = 0; i < 50; i++) {
    const row = (i * 7919) % count;
    for (const [key, expected] of [
      [BigInt(2 * row), 1],
      [BigInt(2 * row + 1), 0],
    ] as const) {
      pages = 0;
      let found = 0;
      for await (const batch of file.scan({ where: { column: "key", op: "=", value: key } })) {
        found += batch.length;
      }
      if (found !== expected) {
        throw new Error(`found ${found} rows of key ${key} (expected ${expected})`);
      }
      worst = Math.max(worst, pages);
    }
  }
  return worst;
}
