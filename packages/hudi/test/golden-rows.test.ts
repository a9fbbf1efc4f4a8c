import { readGoldenJson } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import {
  changedRows,
  getRecord,
  type HudiBatch,
  jsonValues,
  openHudiTable,
  scanColumns,
  scanRows,
  tableColumns,
} from "../src/index.js";
import type { HudiColumn } from "../src/rows/column-type.js";
import type { HudiTable } from "../src/table/hudi-table.js";
import { type Facts, factsOf, goldenTree, type RowFacts, rowFacts, rowsOf, TABLES } from "./golden-table.js";

/** Rows that Hudi returned for some columns, sorted. */
interface Reads {
  readonly columns: readonly string[];
  readonly reads: readonly {
    readonly options: Readonly<Partial<Record<"from" | "to" | "asOf", string>>> & {
      readonly readOptimized?: boolean;
    };
    readonly rows: readonly (readonly unknown[])[];
  }[];
}

async function jsonRows(
  columns: readonly HudiColumn[],
  batches: AsyncIterable<HudiBatch>,
): Promise<unknown[]> {
  const rows: string[] = [];
  for await (const batch of batches) {
    const cells = columns.map(({ avro }, i) => {
      const vector = batch.columns[i];
      if (vector === undefined) {
        throw new Error("no vector");
      }
      return jsonValues(avro, vector);
    });
    for (let i = 0; i < batch.length; i++) {
      rows.push(JSON.stringify(cells.map((column) => column[i])));
    }
  }
  return rows.sort().map((row) => JSON.parse(row));
}

describe.each(TABLES)("rows of %s", (name) => {
  let table: HudiTable;
  let facts: Facts;
  let rows: RowFacts & Readonly<Record<string, unknown>>;
  let columns: readonly HudiColumn[];

  beforeAll(async () => {
    table = await openHudiTable(goldenTree(name));
    facts = factsOf(name);
    rows = rowFacts(name);
    columns = await tableColumns(table);
  });

  test("has Spark's columns", () => {
    expect(columns.map(({ name: column, type }) => [column, type])).toEqual(rows.columns);
  });

  test("reads the latest rows", async () => {
    expect(await jsonRows(columns, scanRows(table))).toEqual(rows.latest);
  });

  test.each(["early", "middle", "late"] as const)(
    "reads rows as of %s, or refuses as Hudi does",
    async (mark) => {
      const expected = rowsOf(rows, `as_of_${mark}`);
      const read = jsonRows(columns, scanRows(table, { asOf: facts.marks[mark] }));
      if ("refused" in expected) {
        await expect(read).rejects.toMatchObject({ code: "E_HISTORY_GONE" });
      } else {
        expect(await read).toEqual(expected);
      }
    },
  );

  test.each([
    ["early", "latest"],
    ["middle", "latest"],
    ["late", "latest"],
    ["early", "middle"],
  ])("reads the rows that changed from %s to %s", async (from, to) => {
    const bounds = rows.incremental_bounds;
    const range = { from: bounds[from] ?? "", to: to === "latest" ? undefined : bounds[to] };
    const expected = rowsOf(rows, `incremental_from_${from}_to_${to}`);
    expect(await jsonRows(columns, changedRows(table, range))).toEqual(expected);
  });

  test("an instant before the active timeline has the latest columns", async () => {
    const early = await tableColumns(table, "20200101000000000");
    expect(early.map(({ name: column, type }) => [column, type])).toEqual(rows.columns);
  });

  test("reads base files alone", async () => {
    const expected = name === "cow_v9" ? rows.latest : rowsOf(rows, "read_optimized");
    const ordered = await scanColumns(table, { baseOnly: true });
    expect(await jsonRows(ordered, scanRows(table, { readOptimized: true }))).toEqual(expected);
  });
});

test.each([
  ["late_rows", "an incremental read has late rows of log files, which lost to rows of earlier writes"],
  [
    "duplicate_keys",
    "a log record replaces one of several rows with its key, and a delete an older row of any ordering value",
  ],
  ["abandoned_clustering", "rows of a group that the record index does not name are found"],
  ["partial_event_time", "rows of some columns are merged by event time"],
  ["partial_commit_time", "rows of some columns are merged by commit time"],
  ["partial_event_time_parquet", "rows of some columns are merged from Parquet blocks"],
  ["nested_ordering", "rows are ordered by a field of a struct"],
  ["timestamp_millis", "milliseconds that files call microseconds are read as milliseconds"],
])("%s: %s", async (name) => {
  const { columns: names, reads } = readGoldenJson<Reads>(`hudi-table/${name}.json`);
  const table = await openHudiTable(goldenTree(name));
  const all = await tableColumns(table);
  const columns = names.flatMap((each) => all.find((column) => column.name === each) ?? []);
  expect(columns).toHaveLength(names.length);
  for (const { options, rows } of reads) {
    const { from, to, ...given } = options;
    const found =
      from === undefined
        ? scanRows(table, { ...given, columns: names })
        : changedRows(table, { from, to }, { columns: names });
    expect(await jsonRows(columns, found), JSON.stringify(options)).toEqual(rows);
  }
});

test.each(["a", "b", "c", "absent"])(
  "a filter finds all rows with a key, also where the record index names one: %s",
  async (key) => {
    const table = await openHudiTable(goldenTree("indexed_duplicates"));
    expect(table.metadata?.has("record_index")).toBe(true);
    const { reads } = readGoldenJson<Reads>("hudi-table/indexed_duplicates.json");
    const names = ["_hoodie_record_key", "p", "v"];
    const all = await tableColumns(table);
    const columns = names.flatMap((each) => all.find((column) => column.name === each) ?? []);
    const expected = reads[0]?.rows.filter((row) => row[0] === key);
    for (const where of [
      { column: "_hoodie_record_key", op: "=", value: key },
      { column: "_hoodie_record_key", op: "in", values: ["none", key] },
    ] as const) {
      expect(await jsonRows(columns, scanRows(table, { columns: names, where }))).toEqual(expected);
    }
  },
);

test("a record is found whose group the record index does not name", async () => {
  const table = await openHudiTable(goldenTree("abandoned_clustering"));
  const { location, row } = await getRecord(table, "key-50", { columns: ["id", "ts"] });
  const groups = (await table.slices("")).map(({ fileId }) => fileId);
  expect(groups).not.toContain(location?.fileId);
  expect(row?.columns.map((column) => column.get(0))).toEqual(["key-50", 1011n]);
  const where = { column: "_hoodie_record_key", op: "=", value: "key-50" } as const;
  let count = 0;
  for await (const { length } of scanRows(table, { where })) {
    count += length;
  }
  expect(count).toBe(1);
});
