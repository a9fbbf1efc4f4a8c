/** Files that lost their footer, or their start: exactly the rows whose pages are whole are recovered. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isCFileError } from "@cfile/bytes";
import { batchFromValues } from "@cfile/encodings/batches";
import { memorySink } from "@cfile/io";
import { listGolden, randomNumbers, readGolden, temporaryFolder } from "@cfile-tools/testkit";
import { DuckDBInstance } from "@duckdb/node-api";
import { Compression, readParquet, WriterPropertiesBuilder, writeParquet } from "parquet-wasm/node";
import { beforeAll, describe, expect, it } from "vitest";
import { openParquet } from "../src/index.js";
import { endsChunk, pageHabits } from "../src/layout/sibling-pages.js";
import { type PagePart, type RebuiltParquet, rebuildParquet, recoverParquet } from "../src/recover.js";
import { type ExportOptions, exportParquet } from "../src/write.js";
import {
  difference,
  footerSize,
  partsOf,
  rebuilt,
  rowsWithout,
  rowTexts,
  type Subject,
  subjectOf,
} from "./rebuilt-rows.js";

const ROWS = 300;
const BATCH = 50;
const RANDOM_CUTS = 60;

async function ours(options: ExportOptions): Promise<Uint8Array> {
  const numbers = Array.from({ length: ROWS }, (_, i) => i);
  const columns = [
    { name: "id", type: "INT64", nullable: false, array: false },
    { name: "price", type: "DOUBLE", nullable: true, array: false },
    { name: "count", type: "INT32", nullable: false, array: false },
    { name: "small", type: "INT16", nullable: true, array: false },
    { name: "note", type: "STRING", nullable: true, array: false },
    { name: "flag", type: "BOOL", nullable: false, array: false },
    { name: "list", type: "INT32", nullable: true, array: true },
  ] as const;
  const values = [
    numbers.map((i) => BigInt(i) * 1_000_003n),
    numbers.map((i) => (i % 3 === 0 ? null : i / 7)),
    numbers.map((i) => i * 31),
    numbers.map((i) => (i % 5 === 0 ? null : i % 100)),
    numbers.map((i) => (i % 4 === 0 ? null : `note ${i} ${"x".repeat(i % 9)}`)),
    numbers.map((i) => i % 2 === 0),
    numbers.map((i) =>
      i % 6 === 0 ? null : Array.from({ length: i % 4 }, (_, j) => (j === 1 ? null : i + j)),
    ),
  ];
  async function* rows() {
    for (let firstRow = 0; firstRow < ROWS; firstRow += BATCH) {
      const batches = columns.map((column, i) =>
        batchFromValues(column, (values[i] ?? []).slice(firstRow, firstRow + BATCH)),
      );
      yield { length: BATCH, firstRow, names: columns.map(({ name }) => name), columns: batches };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns, rows: rows() }, { rowGroupRows: 100, pageRows: 30, ...options });
  return sink.bytes();
}

/** Strings with a dictionary, columns of the same type side by side, and nested columns. */
const DUCKDB_ROWS = `SELECT i AS id, i * 2 AS twice, i * 3 AS thrice, (i % 7)::VARCHAR AS word,
  CASE WHEN i % 3 = 0 THEN NULL ELSE 'text ' || (i * 7919) END AS note,
  i / 3.0 AS real, DATE '2020-01-01' + (i % 300)::INT AS day,
  CASE WHEN i % 4 = 0 THEN NULL ELSE [i, NULL, i + 1] END AS list,
  {'a': i, 'b': {'c': i::VARCHAR, 'd': [i % 2 = 0]}} AS nested,
  map([i::VARCHAR, 'k'], [i, NULL]) AS pairs
  FROM range(2500) t(i)`;

async function duckdb(name: string, select: string, form: string): Promise<Uint8Array> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  const path = join(folder, `${name}.parquet`);
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet, ${form})`);
  connection.closeSync();
  instance.closeSync();
  return new Uint8Array(await readFile(path));
}

const folder = temporaryFolder();
const subjects: Subject[] = [];

beforeAll(async () => {
  const forms: readonly ExportOptions[] = [
    { codec: "SNAPPY", dataPageVersion: 1 },
    { codec: "UNCOMPRESSED", dataPageVersion: 2 },
    { codec: "GZIP", dataPageVersion: 2 },
    { codec: "LZ4_RAW", dataPageVersion: 1, statistics: "none" },
  ];
  for (const form of forms) {
    subjects.push(await subjectOf(`ours ${JSON.stringify(form)}`, await ours(form)));
  }
  for (const [name, form] of [
    ["snappy", "ROW_GROUP_SIZE 2048"],
    ["zstd", "ROW_GROUP_SIZE 2048, COMPRESSION zstd, PARQUET_VERSION v2"],
  ] as const) {
    subjects.push(await subjectOf(`DuckDB ${name}`, await duckdb(name, DUCKDB_ROWS, form)));
  }
  const properties = new WriterPropertiesBuilder()
    .setCompression(Compression.SNAPPY)
    .setMaxRowGroupSize(150)
    .setDataPageSizeLimit(256)
    .setWriteBatchSize(32);
  for (const isCoded of [true, false]) {
    const own = properties.setDictionaryEnabled(isCoded).build();
    const bytes = writeParquet(readParquet(await ours({})), own);
    subjects.push(await subjectOf(`arrow-rs, ${isCoded ? "dictionaries" : "plain"}`, bytes));
    break;
  }
  for (const name of [
    "alltypes_plain",
    "nulls.snappy",
    "rle-dict-snappy-checksum",
    "datapage_v2.snappy",
    "list_columns",
  ]) {
    subjects.push(await subjectOf(name, readGolden(`parquet/${name}.parquet`)));
  }
});

/** The rows after a refusal: none. */
function refusal(error: unknown): { readonly rows: string[] } {
  expect(isCFileError(error)).toBe(true);
  return { rows: [] };
}

describe("a file that was cut", () => {
  const PARTS = 4;
  it.each(Array.from({ length: PARTS }, (_, part) => part))(
    "keeps every row whose pages are whole, and no other, at page boundaries and random places: part %i",
    async (part) => {
      const random = randomNumbers(7 + part);
      const differences: string[] = [];
      for (const subject of subjects.filter((_, i) => i % PARTS === part)) {
        const { bytes, name } = subject;
        const end = bytes.length - footerSize(bytes);
        const places = Array.from({ length: RANDOM_CUTS }, () => 4 + random(end - 4));
        for (const size of new Set([...subject.pageEnds, ...places])) {
          const { rows } = await rebuilt(bytes.subarray(0, size), { like: bytes });
          const expected = rowsWithout(subject, { from: size, to: bytes.length });
          differences.push(...difference(`${name}, cut at ${size}`, rows, expected));
        }
      }
      expect(differences).toEqual([]);
    },
  );

  it("keeps the same rows without its first bytes, with its own footer or the schema of another file", async () => {
    const differences: string[] = [];
    for (const subject of subjects) {
      const { bytes, name } = subject;
      const lost = { from: 0, to: Math.min(4096, (bytes.length - footerSize(bytes)) >> 1) };
      const expected = rowsWithout(subject, lost);
      const zeroed = bytes.slice();
      zeroed.fill(0, 0, lost.to);
      for (const [what, damaged] of [
        ["removed", bytes.subarray(lost.to)],
        ["zeroed", zeroed],
      ] as const) {
        const { rows } = await rebuilt(damaged, {});
        differences.push(...difference(`${name}, ${what}`, rows, expected));
        const bare = damaged.subarray(0, damaged.length - footerSize(bytes));
        const { rows: others } = await rebuilt(bare, { like: bytes });
        differences.push(...difference(`${name}, ${what}, no footer`, others, expected));
      }
    }
    expect(differences).toEqual([]);
  });

  it("keeps the rows of the other pages when bytes inside are damaged, too", async () => {
    const random = randomNumbers(11);
    const differences: string[] = [];
    for (const subject of subjects.filter(({ name }) => name.startsWith("ours"))) {
      const { bytes, name } = subject;
      const end = bytes.length - footerSize(bytes);
      for (let i = 0; i < RANDOM_CUTS; i++) {
        const from = 4 + random(end - 8);
        const lost = { from, to: Math.min(end, from + 1 + random(i % 2 === 0 ? 4 : 2000)) };
        const damaged = bytes.slice(0, end);
        for (let at = lost.from; at < lost.to; at++) {
          damaged[at] = (damaged[at] as number) ^ 0xff;
        }
        const { rows } = await rebuilt(damaged, { like: bytes });
        differences.push(
          ...difference(`${name}, ${lost.from} to ${lost.to}`, rows, rowsWithout(subject, lost)),
        );
      }
    }
    expect(differences).toEqual([]);
  });
});

describe("a file without its last bytes", () => {
  it("keeps all rows without the last 8 bytes, with the schema of its own footer", async () => {
    for (const { bytes, rows, name } of subjects) {
      const { rows: found, ledger } = await rebuilt(bytes.subarray(0, bytes.length - 8), {});
      expect(found, name).toEqual(rows);
      expect([name, ledger.schemaFrom, ledger.losses]).toEqual([name, "footer", []]);
    }
  });

  it("keeps all rows without the footer, with the schema of another file", async () => {
    for (const { bytes, rows, name } of subjects) {
      const { rows: found } = await rebuilt(bytes.subarray(0, bytes.length - footerSize(bytes)), {
        like: bytes,
      });
      expect(found, name).toEqual(rows);
    }
  });

  it("is written as other readers read it", async () => {
    for (const { bytes, name } of subjects) {
      const { bytes: written } = await rebuilt(bytes.subarray(0, bytes.length - 8), {});
      expect(await openParquet(written).then((file) => file.verify()), name).toMatchObject({ ok: true });
    }
  });
});

describe("--lost null", () => {
  it("keeps all rows of a row group, with nulls for lost cells, in columns of any nesting", async () => {
    for (const subject of subjects.filter(
      ({ name }) => name.startsWith("ours") || name.startsWith("DuckDB"),
    )) {
      const { bytes, name, groups, rows } = subject;
      const [, second] = groups[0]?.leaves ?? [];
      const page = second?.pages[0];
      // The header of the first page of the second column.
      const damaged = bytes.slice(0, bytes.length - 8);
      damaged.fill(0xff, page?.from, (page?.from ?? 0) + 3);
      const { rows: found, ledger } = await rebuilt(damaged, { lost: "null" });
      expect([name, found.length, ledger.rows]).toEqual([name, rows.length, rows.length]);
      const lost = page?.rows ?? 0;
      const cells = (row: string | undefined) => row?.split("|").slice(1) ?? [];
      for (const [i, row] of found.entries()) {
        const [first, cell, ...others] = cells(row);
        const [wantedFirst, wanted, ...wantedOthers] = cells(rows[i]);
        expect([name, i, first, cell, ...others]).toEqual([
          ...[name, i, wantedFirst],
          i < lost ? "-0" : wanted,
          ...wantedOthers,
        ]);
      }
    }
  });
});

describe("without any schema", () => {
  it("recovers right values and guesses types, but not names", async () => {
    const subject = subjects[0];
    const { bytes = new Uint8Array(0), rows = [] } = subject ?? {};
    const { rows: found, ledger } = await rebuilt(bytes.subarray(0, bytes.length - footerSize(bytes)), {});
    expect(found).toEqual(rows);
    expect(ledger.schemaFrom).toBe("guessed");
    expect(ledger.columns.map(({ path, type, guessed }) => [path, type, guessed])).toEqual(
      [
        ["c0", "INT64"],
        ["c1", "DOUBLE"],
        ["c2", "INT32"],
        ["c3", "INT32"],
        ["c4", "STRING"],
        ["c5", "BOOLEAN"],
        ["c6.list.element", "INT32"],
      ].map((column) => [...column, ["name", "type"]]),
    );
  });

  it("takes types from minimum and maximum of pages whose dictionary is lost", async () => {
    const bytes = readGolden("parquet-testing/data/hadoop_lz4_compressed.parquet");
    const bare = bytes.slice(0, bytes.length - footerSize(bytes));
    expect((await rebuilt(bare, {})).rows).toEqual(await rowTexts(bytes));
    const dictionary = (await partsOf(bytes)).find(({ kind }) => kind === "page");
    bare.fill(0, dictionary?.offset, (dictionary?.offset ?? 0) + (dictionary?.size ?? 0));
    const { ledger, rows } = await rebuilt(bare, { lost: "null" });
    expect(ledger.columns.map(({ type }) => type)).toEqual(["INT64", "STRING", "DOUBLE"]);
    const others = (row: string) => row.split("|").slice(2);
    expect(rows.map(others)).toEqual((await rowTexts(bytes)).map(others));
  });

  it("takes the Arrow schema that survives in a damaged footer", async () => {
    const bytes = readGolden("parquet/list_columns.parquet");
    const damaged = bytes.slice();
    // The start of the footer, with Parquet's own schema.
    damaged.fill(0xff, bytes.length - footerSize(bytes), bytes.length - footerSize(bytes) + 60);
    const { rows, ledger } = await rebuilt(damaged, {});
    expect([ledger.schemaFrom, rows]).toEqual(["arrow", await rowTexts(bytes)]);
    expect(ledger.columns.map(({ path, type }) => `${path} ${type}`)).toEqual([
      "int64_list.list.item INT64",
      "utf8_list.list.item STRING",
    ]);
  });
});

const SAME = ["a", "b", "c"].map((name) => ({ name, type: "INT32", nullable: false, array: false }) as const);
/** Ascending in each column. */
const ascending = (row: number, column: number): number => 1000 * row + column;

async function sameTyped(
  [rowGroupRows, pageRows, rowCount]: readonly [number, number, number],
  valueAt: (row: number, column: number) => number,
): Promise<Uint8Array> {
  async function* rows() {
    for (let firstRow = 0; firstRow < rowCount; firstRow += 10) {
      const batches = SAME.map((column, c) =>
        batchFromValues(
          column,
          Array.from({ length: 10 }, (_, i) => valueAt(firstRow + i, c)),
        ),
      );
      yield { length: 10, firstRow, names: SAME.map(({ name }) => name), columns: batches };
    }
  }
  const sink = memorySink();
  await exportParquet(sink, { columns: SAME, rows: rows() }, { rowGroupRows, pageRows, statistics: "none" });
  return sink.bytes();
}

const sameBounds = (row: number, column: number): number => (row * 7919 + column * 31) % 1000;

/** Row counts of row groups and of pages. */
const LAYOUTS = [
  [60, 20],
  [60, 60],
  [20, 20],
  [240, 20],
] as const;

/** Values by row and column. */
const VALUES: readonly (readonly [string, (row: number, column: number) => number])[] = [
  ["ascending", ascending],
  ["of different bounds", (row, column) => ((row * 7919) % 100) * 1000 ** column],
  ["of the same bounds", sameBounds],
  ["constant", () => 1],
];

/** The recovered rows of row groups that are not guesses. */
function certainRows(rows: readonly string[], { groups }: RebuiltParquet): string[] {
  let from = 0;
  return groups.flatMap(({ rowsKept, isCertain }) => {
    const own = rows.slice(from, from + rowsKept);
    from += rowsKept;
    return isCertain ? own : [];
  });
}

/** Cuts at all page ends and at random offsets. */
function* cutsOf({ pageEnds }: Subject): Generator<number, void, void> {
  const random = randomNumbers(3);
  yield* pageEnds;
  for (let i = 0; i < RANDOM_CUTS; i++) {
    yield 4 + random((pageEnds.at(-1) ?? 0) - 4);
  }
}

describe("columns of one type, whose pages can be divided in several ways", () => {
  it.each(LAYOUTS)(
    "row groups of %i rows, pages of %i: no wrong row, and all whole row groups if the size is stated",
    async (rowGroupRows, pageRows) => {
      const subject = await subjectOf("same", await sameTyped([rowGroupRows, pageRows, 240], ascending));
      const { bytes } = subject;
      for (const size of cutsOf(subject)) {
        const cut = bytes.subarray(0, size);
        const expected = rowsWithout(subject, { from: size, to: bytes.length });
        const { rows: others } = await rebuilt(cut, { schema: SAME }).catch(refusal);
        expect(
          others.filter((row) => !expected.includes(row)),
          `cut at ${size}`,
        ).toEqual([]);
        const { rows } = await rebuilt(cut, { schema: SAME, rowGroupRows });
        expect(
          rows.filter((row) => !expected.includes(row)),
          `cut at ${size}`,
        ).toEqual([]);
        // The last row group may have fewer rows, so a part of it is ambiguous.
        const whole = Math.floor(expected.length / rowGroupRows) * rowGroupRows;
        expect(rows.length, `cut at ${size}`).toBeGreaterThanOrEqual(whole);
      }
    },
  );

  it.each([
    ["equal row groups", [60, 20, 240], [60, 20, 600]],
    ["a single row group", [240, 20, 240], [240, 20, 240]],
    ["a smaller file, whose pages end at 20 rows", [240, 20, 90], [240, 20, 170]],
    ["a larger file with row groups of the same size", [240, 20, 650], [240, 20, 530]],
  ] as const)("are told apart by another file: %s", async (_, other, own) => {
    const subject = await subjectOf("same", await sameTyped(own, ascending));
    const like = await sameTyped(other, ascending);
    const differences: string[] = [];
    for (const size of cutsOf(subject)) {
      const { rows } = await rebuilt(subject.bytes.subarray(0, size), { like });
      const expected = rowsWithout(subject, { from: size, to: subject.bytes.length });
      differences.push(...difference(`cut at ${size}`, rows, expected));
    }
    expect(differences).toEqual([]);
  });

  it.each(LAYOUTS)(
    "the file itself as the other file gives every whole row: row groups of %i rows, pages of %i",
    async (rowGroupRows, pageRows) => {
      const subject = await subjectOf("same", await sameTyped([rowGroupRows, pageRows, 240], ascending));
      const { bytes } = subject;
      const differences: string[] = [];
      for (const size of cutsOf(subject)) {
        const { rows } = await rebuilt(bytes.subarray(0, size), { like: bytes });
        const expected = rowsWithout(subject, { from: size, to: bytes.length });
        differences.push(...difference(`cut at ${size}`, rows, expected));
      }
      expect(differences).toEqual([]);
    },
  );

  it.each(VALUES)(
    "values %s: no row is certain that only the sizes of another file place",
    async (_, valueAt) => {
      const forms = [
        [60, 20, 240],
        [120, 20, 240],
        [80, 40, 240],
      ] as const;
      for (const form of forms) {
        const subject = await subjectOf("same", await sameTyped(form, valueAt));
        for (const other of forms.filter((own) => own !== form)) {
          const like = await sameTyped(other, valueAt);
          for (const size of subject.pageEnds.filter(
            (_, i) => i % 5 === 0 || i === subject.pageEnds.length - 1,
          )) {
            const what = `${form}, like ${other}, cut at ${size}`;
            const { rows, ledger } = await rebuilt(subject.bytes.subarray(0, size), { like });
            const certain = certainRows(rows, ledger);
            const expected = rowsWithout(subject, { from: size, to: subject.bytes.length });
            const wrong = (found: readonly string[]) => found.filter((row) => !expected.includes(row));
            expect(wrong(certain), what).toEqual([]);
            // Values that ascend through several row groups reveal a wrong row group size.
            const isShown = valueAt === ascending && size === subject.pageEnds.at(-1);
            expect(isShown ? wrong(rows) : [], what).toEqual([]);
            expect([what, ledger.ok]).toEqual([what, false]);
          }
        }
      }
    },
  );

  it.each(VALUES)("values %s: no wrong row with the only row group of another file", async (_, valueAt) => {
    const own = [
      [240, 20, 240],
      [80, 20, 240],
      [40, 20, 240],
    ] as const;
    const others = [
      [240, 20, 240],
      [40, 20, 40],
      [60, 10, 60],
    ] as const;
    for (const form of own) {
      const subject = await subjectOf("same", await sameTyped(form, valueAt));
      for (const other of others) {
        const like = await sameTyped(other, valueAt);
        for (const size of subject.pageEnds) {
          const cut = subject.bytes.subarray(0, size);
          const { rows } = await rebuilt(cut, { like }).catch(refusal);
          const expected = rowsWithout(subject, { from: size, to: subject.bytes.length });
          const wrong = rows.filter((row, i) => row !== expected[i]);
          expect(wrong, `${form}, like ${other}, cut at ${size}`).toEqual([]);
        }
      }
    }
  });
});

describe("the pages of another file", () => {
  const page = (valueCount: number): PagePart => ({
    ...{ kind: "page", offset: 4, size: 100, headerSize: 20, crc: "right" },
    header: {
      ...{
        kind: "data-v1",
        uncompressedSize: 8 * valueCount,
        storedSize: 80,
        crc: 1,
        valueCount,
        encoding: "PLAIN",
      },
      ...{ definitionEncoding: "RLE", repetitionEncoding: "RLE", rowCount: undefined, nullCount: undefined },
      ...{ definitionBytes: 0, repetitionBytes: 0, isCompressed: true },
    },
  });
  const chunk = (...counts: readonly number[]) => ({
    ...{ column: 0, dictionary: undefined },
    pages: counts.map(page),
  });

  it("show where chunks end if only their last pages are smaller, within the length of their longest chunk", () => {
    const [habit] = pageHabits([chunk(20, 20, 10), chunk(20, 5)]);
    expect([15, 45, 50, 65].map((values) => endsChunk(page(15), habit, values))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect(endsChunk(page(20), habit, 20)).toBe(false);
  });

  it("show nothing if others are smaller, too", () => {
    const [habit] = pageHabits([chunk(20, 20, 10, 20), chunk(20, 5)]);
    expect(endsChunk(page(15), habit, 15)).toBe(false);
  });
});

describe("a page header that is damaged in a file with a valid footer", () => {
  it("loses only its page: the pages after it are placed from the end of the chunk", async () => {
    const subject = await subjectOf("same", await sameTyped([240, 20, 480], ascending));
    const { bytes, groups } = subject;
    const differences: string[] = [];
    for (const { leaves } of groups) {
      for (const page of leaves.flatMap(({ pages }) => pages)) {
        const damaged = bytes.slice();
        damaged.fill(0xff, page.from, page.from + 8);
        const { rows } = await rebuilt(damaged, {});
        const expected = rowsWithout(subject, page);
        differences.push(...difference(`header at ${page.from}`, rows, expected));
      }
    }
    expect(differences).toEqual([]);
  });
});

it("places pages by the footer of a file that has lost its start, also where chunks have one size", async () => {
  const valueAt = (row: number, column: number): number => 100 * Math.floor(row / 40) + column;
  const subject = await subjectOf("equal chunks", await sameTyped([40, 20, 160], valueAt));
  const { bytes, pageEnds } = subject;
  const differences: string[] = [];
  for (const to of [...pageEnds.slice(0, -1), 100, 1000]) {
    const { rows } = await rebuilt(bytes.subarray(to), {});
    differences.push(...difference(`bytes before ${to}`, rows, rowsWithout(subject, { from: 0, to })));
  }
  expect(differences).toEqual([]);
});

describe("a page header that is damaged in a file with a footer and no page index", () => {
  it("loses only its page: the next page is found by its bytes", async () => {
    const bytes = await sameTyped([240, 20, 480], ascending);
    const subject = await subjectOf("same", bytes);
    for (const [group, { leaves }] of subject.groups.entries()) {
      for (const [column, { pages }] of leaves.entries()) {
        for (const [index, page] of pages.slice(0, -1).entries()) {
          const damaged = bytes.slice();
          damaged.fill(0xff, page.from, page.from + 8);
          const recovered = await recoverParquet(damaged, { useOffsetIndex: false });
          const from = 240 * group + 20 * index;
          const lost = recovered.columns.map((own) => own.lost);
          expect(lost).toEqual(SAME.map((_, i) => (i === column ? [{ from, to: from + 20 }] : [])));
          expect(recovered.report.losses.map(({ part, rows }) => [part, rows])).toEqual([
            ["page", { from, to: from + 20 }],
          ]);
          const values: unknown[] = [];
          for await (const batch of recovered.column(SAME[column]?.name ?? "")) {
            values.push(...batch.toArray());
          }
          const expected = Array.from({ length: 480 }, (_, row) =>
            row >= from && row < from + 20 ? null : ascending(row, column),
          );
          expect(values).toEqual(expected);
        }
      }
    }
  });
});

describe("a page header that is damaged in a file with a single column", () => {
  it.each([
    ["numbers", "SELECT i AS n", 0],
    // No other column shows that the list before a lost page, or before the end, does not continue there.
    ["lists", "SELECT CASE WHEN i % 5 = 0 THEN NULL ELSE [i, NULL, i % 7] END AS n", 2],
    ["dictionaries", "SELECT (i % 97)::VARCHAR AS n", 0],
  ])("keeps the rows of other pages, none by another dictionary: %s", async (name, select, open) => {
    const bytes = await duckdb(name, `${select} FROM range(8000) t(i)`, "ROW_GROUP_SIZE 2048");
    const subject = await subjectOf(name, bytes);
    const chunks = subject.groups.flatMap(({ leaves }) => leaves);
    for (const page of chunks.flatMap(({ pages, dictionary }) => [...pages, dictionary ?? []].flat())) {
      const damaged = bytes.slice(0, bytes.length - footerSize(bytes));
      damaged.fill(0xff, page.from, page.from + 8);
      const { rows } = await rebuilt(damaged, { like: bytes });
      const whole = rowsWithout(subject, page);
      let next = 0;
      const found = whole.filter((row) => row === rows[next] && ++next > 0);
      expect(found, `header at ${page.from}`).toEqual(rows);
      expect(rows.length, `header at ${page.from}`).toBeGreaterThanOrEqual(whole.length - open);
    }
  });
});

it("names encrypted pages", async () => {
  const path = join(folder, "encrypted.parquet");
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  await connection.run("SET force_mbedtls_unsafe = 'true'");
  await connection.run("PRAGMA add_parquet_key('key', '0123456789abcdef')");
  const form = "FORMAT parquet, ENCRYPTION_CONFIG {footer_key: 'key'}";
  await connection.run(`COPY (SELECT i FROM range(1000) t(i)) TO '${path}' (${form})`);
  connection.closeSync();
  instance.closeSync();
  const bytes = new Uint8Array(await readFile(path)).subarray(0, -300);
  expect((await partsOf(bytes)).map(({ kind }) => kind)).toEqual(["magic", "encrypted"]);
  await expect(rebuildParquet(bytes, memorySink())).rejects.toMatchObject({
    code: "E_UNSUPPORTED",
    reason: expect.stringContaining("the pages are encrypted"),
  });
});

it("walks a valid file completely", async () => {
  for (const name of listGolden("parquet", ".parquet")) {
    const bytes = readGolden(`parquet/${name}.parquet`);
    let end = 0;
    for (const { offset, size } of await partsOf(bytes)) {
      expect(offset, name).toBe(end);
      end += size;
    }
    expect(end, name).toBe(bytes.length);
  }
});
