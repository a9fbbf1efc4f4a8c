import { DuckDBInstance } from "@duckdb/node-api";
import { describe, expect, test } from "vitest";
import { digestQuery, SQL_DIALECTS, sqlDigest } from "../src/query.js";
import { type Column, table } from "./table.js";

const TINY = 5e-324;

/** Columns of all types, and the same rows in the SQL of DuckDB. */
const columns: Readonly<Record<string, Column>> = {
  id: { type: "INT64", cells: [1n, -(2n ** 63n), 2n ** 63n - 1n, 4n] },
  'a "b"': { type: "INT8", cells: [1, null, -128, 0] },
  flag: { type: "BOOL", cells: [true, false, null, true] },
  single: { type: "FLOAT", cells: [Math.fround(0.1), -0, 3.4028234663852886e38, null] },
  double: { type: "DOUBLE", cells: [0.1, TINY, -1.7976931348623157e308, 1e-300] },
  special: { type: "DOUBLE", cells: [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -0] },
  power: { type: "DOUBLE", cells: [8, 7.999999999999999, 2 ** -1022, 1 + 2 ** -52] },
  day: { type: "DATE", cells: [0, -719_162, 19_782, null] },
  time: { type: "UNIXTIME_MICROS", cells: [0n, -1n, 1_700_000_000_123_456n, null] },
  price: { type: "DECIMAL64", scale: 2, cells: [5n, -5n, 123_456n, null] },
  name: { type: "STRING", cells: ["", "ü'", null, "a,b"] },
  raw: { type: "BINARY", cells: [new Uint8Array(0), Uint8Array.of(0, 255), null, Uint8Array.of(44)] },
};

const ROWS = `SELECT * FROM (VALUES
  (1::BIGINT, 1::TINYINT, true, 0.1::FLOAT, 0.1::DOUBLE, 'nan'::DOUBLE, 8::DOUBLE, DATE '1970-01-01', TIMESTAMPTZ '1970-01-01 00:00:00Z', 0.05::DECIMAL(12, 2), '', ''::BLOB),
  ('-9223372036854775808'::BIGINT, NULL, false, '-0'::FLOAT, '5e-324'::DOUBLE, 'inf'::DOUBLE, '7.999999999999999'::DOUBLE, DATE '0001-01-01', TIMESTAMPTZ '1969-12-31 23:59:59.999999Z', -0.05, 'ü''', '\\x00\\xFF'::BLOB),
  (9223372036854775807, -128, NULL, '3.4028234663852886e38'::FLOAT, '-1.7976931348623157e308'::DOUBLE, '-inf'::DOUBLE, '2.2250738585072014e-308'::DOUBLE, DATE '2024-02-29', TIMESTAMPTZ '2023-11-14 22:13:20.123456Z', 1234.56, NULL, NULL),
  (4, 0, true, NULL, '1e-300'::DOUBLE, '-0'::DOUBLE, '1.0000000000000002'::DOUBLE, NULL, NULL, NULL, 'a,b', ','::BLOB)
) AS t(id, "a ""b""", flag, single, double, special, power, day, time, price, name, raw)`;

async function firstRow(sql: string): Promise<Record<string, unknown>> {
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  try {
    await connection.run(`CREATE TABLE far AS ${ROWS}`);
    const [row] = await (await connection.runAndReadAll(sql)).getRowObjects();
    return row ?? {};
  } finally {
    connection.closeSync();
  }
}

describe("a digest in SQL", () => {
  test("is that of DuckDB, for cells of every type", async () => {
    const near = table(columns);
    const row = await firstRow(digestQuery("duckdb", "far", near.columns, await sqlDigest(near)));
    const equal = Object.fromEntries(
      [
        "equal",
        ...["rows", ...Object.keys(columns)].map((name) => (name === "equal" ? name : `${name} equal`)),
      ].map((name) => [name, true]),
    );
    expect(row).toEqual(equal);
  });

  test.each([
    ["id", 2n],
    ["single", 0],
    ["special", 0],
    ["time", 0n],
    ["name", "a"],
  ])("finds a changed cell of column %s", async (name, cell) => {
    const changed = Object.fromEntries(
      Object.entries(columns).map(([key, column]) => [
        key,
        key === name ? { ...column, cells: column.cells.map((old, i) => (i === 3 ? cell : old)) } : column,
      ]),
    );
    const near = table(changed);
    const row = await firstRow(digestQuery("duckdb", "far", near.columns, await sqlDigest(near)));
    const different = Object.keys(row).filter((key) => row[key] === false);
    expect(different).toEqual(["equal", "rows equal", `${name} equal`]);
  });

  test("has a query in each dialect, with its names in quotes", async () => {
    const near = table(columns);
    const digest = await sqlDigest(near);
    for (const dialect of SQL_DIALECTS) {
      const sql = digestQuery(dialect, "lake.far", near.columns, digest);
      expect(sql).toContain(dialect === "spark" ? '`a "b"`' : '"a ""b"""');
      expect(sql).toContain("FROM lake.far");
    }
  });

  test("of arrays is refused", async () => {
    const near = table({ x: { type: "INT32", array: true, cells: [[1]] } });
    await expect(sqlDigest(near)).rejects.toMatchObject({ code: "E_UNSUPPORTED", field: "x" });
    const digest = { rows: { count: 0, sum: 0n }, columns: [] };
    expect(() => digestQuery("spark", "t", near.columns, digest)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED" }),
    );
  });
});
