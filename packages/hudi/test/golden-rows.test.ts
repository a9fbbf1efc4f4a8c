import { gunzipSync } from "node:zlib";
import { memoryTree } from "@cfile/io";
import { readGolden, readGoldenJson, unpackTar } from "@cfile-tools/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import {
  changedRows,
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

interface LateRows {
  readonly from: string;
  readonly to: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
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

test("an incremental read has late rows of log files, which lost to rows of earlier writes", async () => {
  const { files } = unpackTar(gunzipSync(readGolden("hudi-table/late_rows.tar.gz")));
  const expected = readGoldenJson<LateRows>("hudi-table/late_rows.json");
  const table = await openHudiTable(memoryTree(files));
  const columns = (await tableColumns(table)).filter(({ name }) => expected.columns.includes(name));
  const found = await jsonRows(
    columns,
    changedRows(table, expected, { columns: columns.map(({ name }) => name) }),
  );
  const inOrder = columns.map(({ name }) => expected.columns.indexOf(name));
  const rows = expected.rows.map((row) => JSON.stringify(inOrder.map((i) => row[i]))).sort();
  expect(found).toEqual(rows.map((row) => JSON.parse(row)));
});
