import { readdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DataType } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetSchema } from "@cfile/rowset";
import { createTableStore, openTableStore, type TableStore } from "@cfile/rowset/store";
import { collectRows, pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { querySql } from "../src/index.js";
import { pushedConditions } from "../src/pushed-filter.js";

const ROWS = 1_000_000;
const schema: RowSetSchema = {
  columns: [
    ["id", "INT64"],
    ["n", "INT32"],
    ["city", "STRING"],
    ["day", "DATE"],
  ].map(([name = "", type], i) => ({
    id: i + 1,
    name,
    type: type as DataType,
    nullable: i > 1,
    array: false,
    isKey: i === 0,
  })),
};
const CITIES = ["Bern", "Genf", "O'Ahu", "Zug"];

let folder: string;
let path: string;
let rowSet: TableStore;

beforeAll(async () => {
  folder = temporaryFolder();
  path = join(folder, "million");
  await using creation = await createTableStore(path, schema, { sorted: true });
  const batchRows = 100_000;
  for (let start = 0; start < ROWS; start += batchRows) {
    const length = batchRows;
    const row = (i: number): number => start + i;
    const of = (type: DataType, cell: (i: number) => number | string | null) =>
      batchFromValues(
        { type, nullable: true },
        Array.from({ length }, (_, i) => cell(row(i))),
      );
    const numbers = Array.from({ length }, (_, i) => BigInt(row(i)));
    const id = batchFromValues({ type: "INT64" }, numbers);
    await creation.append([
      id,
      of("INT32", (i) => (i * 7919) % 1000),
      of("STRING", (i) => (i % 11 === 0 ? null : (CITIES[(i >> 3) % 4] ?? null))),
      of("DATE", (i) => (i % 13 === 0 ? null : 19_000 + (i % 365))),
    ]);
  }
  await creation.finish();
  rowSet = await openTableStore(path);
}, 60_000);
afterAll(async () => {
  await rowSet.close();
});

describe("queries of a million rows", () => {
  it("with a filter return the rows of our own scan", async () => {
    await using result = await querySql(
      `SELECT id, n FROM '${path}' WHERE id >= 400000 AND id < 500000 AND n = 7 AND city = 'O''Ahu' ORDER BY id`,
    );
    const where = [
      { column: "id", op: ">=", value: 400_000n },
      { column: "id", op: "<", value: 500_000n },
      { column: "n", op: "=", value: 7 },
      { column: "city", op: "=", value: "O'Ahu" },
    ] as const;
    const own = await collectRows(rowSet.scan({ columns: ["id", "n"], where }));
    expect(own.length).toBeGreaterThan(10);
    expect(await result.toArray()).toEqual(own);
    // The scan received the key range, the other conditions and the columns, so DuckDB received only the rows of the result.
    expect(result.scans).toMatchObject([{ table: path, columns: ["id", "n", "city"], rows: own.length }]);
    expect(result.scans[0]?.where).toHaveLength(4);
  });

  it("without conditions aggregate all rows", async () => {
    await using result = await querySql("SELECT count(*), sum(n), count(city) FROM million", {
      tables: { million: rowSet },
      settings: { threads: "1" },
    });
    let [count, sum, cities] = [0, 0n, 0];
    for await (const { length, columns } of rowSet.scan({ columns: ["n", "city"] })) {
      const [numbers, names] = columns;
      count += length;
      sum += BigInt((numbers?.toArray() ?? []).reduce((total: number, n) => total + Number(n), 0));
      cities += length - (names?.nullCount ?? 0);
    }
    expect(await result.toArray()).toEqual([[BigInt(count), sum, BigInt(cities)]]);
    expect(result.columnTypes).toEqual(["BIGINT", "HUGEINT", "BIGINT"]);
    expect(result.scans).toMatchObject([{ columns: ["n", "city"], where: [], rows: ROWS }]);
  });

  it("with a self-join scan the table once, without conditions of one side", async () => {
    const sql = `SELECT count(*) FROM '${path}' a JOIN '${path}' b ON a.id = b.n WHERE a.id < 10 AND b.id < 20000`;
    await using result = await querySql(sql);
    expect(await result.toArray()).toEqual([[200n]]);
    expect(result.scans[0]?.where).toEqual([]);
  });

  it("leave no temporary files behind", async () => {
    const before = (await readdir(tmpdir())).filter((name) => name.startsWith("cfile-sql-"));
    await (await querySql(`SELECT max(day) FROM '${path}' WHERE id = 5`)).close();
    await expect(querySql(`SELECT nothing FROM '${path}'`)).rejects.toMatchObject({
      code: "E_INVALID_ARGUMENT",
      field: "sql",
    });
    const after = (await readdir(tmpdir())).filter((name) => name.startsWith("cfile-sql-"));
    expect(after).toEqual(before);
  });
});

describe("CFiles", () => {
  const golden = (name: string): string => pathToGolden(`${name}.cfile`);
  it("are tables of one column", async () => {
    const name = "enc_int32_plain_null_n1000";
    await using result = await querySql(`SELECT count(*), count(${name}) FROM '${golden(name)}'`);
    const [[rows, values] = []] = await result.toArray();
    expect(rows).toBe(1000n);
    expect(values).toBeLessThan(1000n);
  });
});

describe("conditions pushed into the scan", () => {
  const columns = schema.columns;
  it.each([
    [
      "id>=5 AND id<10",
      [
        ["id", ">=", 5n],
        ["id", "<", 10n],
      ],
    ],
    ["city='it''s AND x'", [["city", "=", "it's AND x"]]],
    ["day>='2024-01-02'::DATE", [["day", ">=", 19_724]]],
    ["id=4 AND optional: id IN (1, 2, 77)", [["id", "=", 4n]]],
    ["id=3 OR id=5", []],
    ["id=3 OR id=5 AND n=2", []],
    ["(n IS NOT NULL)", []],
    ["(CAST(n AS BIGINT) BETWEEN -3 AND 7)", []],
    ["n>1.5", []],
    ["city=5", []],
    ["day>='2024-13-99'::DATE", []],
    ["'", []],
    ["", []],
  ])("%s", (filter, expected) => {
    const found = pushedConditions(filter, columns);
    expect(found.map((part) => ("value" in part ? [part.column, part.op, part.value] : part))).toEqual(
      expected,
    );
  });
});
