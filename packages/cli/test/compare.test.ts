import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToGolden, temporaryFolder } from "@cfile-tools/testkit";
import { DuckDBInstance } from "@duckdb/node-api";
import { beforeAll, describe, expect, test } from "vitest";
import { output, run } from "./run.js";

const LOG = `${pathToGolden("servers/")}log`;
const TABLES = ["altered", "auto_incrementing", "empty", "keys_composite", "types_flushed", "unflushed"];
let folder = "";

beforeAll(() => {
  folder = temporaryFolder();
});

async function exported(table: string, extension: string): Promise<string> {
  const path = join(folder, `${table}.${extension}`);
  await output(["kudu", "export", LOG, "--table", table, "--with-log", "-o", path, "-j", "1"]);
  return path;
}

interface ComparisonJson {
  readonly equal: boolean;
  readonly partitions: readonly (readonly { readonly name: string; readonly rows: number }[])[];
}

describe("cfile compare", () => {
  test.each(TABLES)("finds the exports of table %s equal to it", async (table) => {
    for (const extension of ["parquet", "csv", "arrow"]) {
      const text = await output([
        "compare",
        LOG,
        await exported(table, extension),
        "--table",
        table,
        "--with-log",
      ]);
      expect(text, extension).toMatch(/^equal: \d+ rows, \d+ columns\n$/);
    }
  });

  test("compares snapshots", async () => {
    const past = join(folder, "past.parquet");
    const asOf = ["--table", "history", "--as-of", "2020-01-01T00:00:00Z", "--partial-history"];
    await output(["kudu", "export", LOG, ...asOf, "-o", past, "-j", "1"]);
    expect(await output(["compare", past, LOG, ...asOf])).toMatch(/^equal/);
    expect((await run(["compare", past, LOG, "--table", "history"])).code).toBe(1);
  });

  test("prints the rows that differ, by key", async () => {
    const rows = ["id,word,price", "1,a,0.5", "2,b,1.5", "3,c,2.5"];
    const [a, b] = [join(folder, "a.csv"), join(folder, "b.csv")];
    await writeFile(a, `${rows.join("\n")}\n`);
    await writeFile(b, "price,id,word\n2.5,3,C\n0.5,1,a\n9,4,d\n");
    const { code, stdout } = await run(["compare", a, b, "--key", "id"]);
    expect(code).toBe(1);
    const [counts, columns, ...lines] = stdout.trimEnd().split("\n");
    expect([counts, columns]).toEqual([
      "rows: 3, 3; only in the first: 1; only in the second: 1; changed: 1",
      "columns that differ: id, word, price",
    ]);
    expect(lines.sort()).toEqual([
      '+ id=3 word="C"',
      '+ id=4 word="d" price=9',
      '- id=2 word="b" price=1.5',
      '- id=3 word="c"',
    ]);
  });

  test("prints JSON, with a digest of each column in each partition", async () => {
    const path = await exported("keys_composite", "parquet");
    const json: ComparisonJson = JSON.parse(
      await output(["compare", LOG, path, "--table", "keys_composite", "--json"]),
    );
    expect(json).toMatchObject({
      equal: true,
      rows: [90, 90],
      only_a: 0,
      changed: 0,
      exact: true,
      differences: [],
    });
    expect(json.partitions.map((all) => all.map(({ rows }) => rows))).toEqual([
      [14, 12, 16, 17, 8, 23],
      [90],
    ]);
    expect(json.partitions[0]?.[0]?.name).toBe(
      'HASH (k8, id) PARTITION 0, RANGE (name) PARTITION VALUES < "row/c"',
    );
  });

  test("reads a directory of Parquet files as one table", async () => {
    const parts = join(folder, "parts.parquet");
    await output(["kudu", "export", LOG, "--table", "keys_composite", "-o", parts, "-j", "1"]);
    const directory = temporaryFolder();
    await rename(parts, join(directory, "part-0.parquet"));
    await writeFile(join(directory, "_SUCCESS"), "");
    expect(await output(["compare", directory, LOG, "--table", "keys_composite"])).toMatch(/^equal: 90 rows/);
    await output(["convert", join(folder, "a.csv"), join(directory, "part-1.parquet")]);
    const { code, stderr } = await run(["compare", directory, LOG, "--table", "keys_composite"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("has other columns than the first file")]);
  });

  test("prints a query with which DuckDB finds an export equal", async () => {
    const path = await exported("types_flushed", "parquet");
    const sql = await output([
      "compare",
      LOG,
      "--table",
      "types_flushed",
      "--with-log",
      "--sql",
      "duckdb",
      "--sql-table",
      `'${path}'`,
    ]);
    const connection = await (await DuckDBInstance.create(":memory:")).connect();
    const [row = {}] = await (await connection.runAndReadAll(sql)).getRowObjects();
    connection.closeSync();
    expect(Object.keys(row)).toHaveLength(43);
    expect(Object.values(row)).toEqual(Object.values(row).map(() => true));
  });

  test.each([
    [[], 2, "missing argument: B"],
    [["b.csv", "--sql", "spark"], 2, "exclude each other"],
    [["missing.csv"], 5, "no such file"],
    [["a.csv", "--key", "nope"], 1, 'not a comparable column of both tables: "nope"'],
  ])("reports bad arguments: %j", async (args, code, message) => {
    const found = await run([
      "compare",
      join(folder, "a.csv"),
      ...args.map((arg) => arg.replace(/^(?=[a-z]+\.csv)/, `${folder}/`)),
    ]);
    expect([found.code, found.stderr]).toEqual([code, expect.stringContaining(message)]);
  });

  test("of equal files that are text has the exit code 0", async () => {
    const copy = join(folder, "copy.csv");
    await writeFile(copy, await readFile(join(folder, "a.csv")));
    expect((await run(["compare", join(folder, "a.csv"), copy])).code).toBe(0);
  });
});
