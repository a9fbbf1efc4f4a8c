/** Scans of synthetic tables: options, schemas, and columns that files lack. */
import { memoryTree } from "@cfile/io";
import { describe, expect, test } from "vitest";
import { getRecord, openHudiTable, tableColumns, verifyTable } from "../src/index.js";
import { goldenTree } from "./golden-table.js";
import { logOf } from "./made-logs.js";
import { BASE, LOG, type MadeColumn, madeFiles, madeTable, parquetOf, rowsIn, T1, T2 } from "./made-table.js";

const KEY = "_hoodie_record_key";
const field = (name: string, type: unknown) => ({ name, type: ["null", type] });
const schemaOf = (...names: readonly string[]) => ({
  ...{ type: "record", name: "r" },
  fields: names.map((name) => field(name, name === "n" ? "int" : "string")),
});
const SCHEMA = schemaOf(KEY, "v", "n");
const keys: MadeColumn = { name: KEY, type: "STRING", values: ["a", "b", "c"] };
const numbers: MadeColumn = { name: "n", type: "INT32", values: [1, 2, null] };
const refused = (code: string, of?: string) => expect.objectContaining({ code, ...(of && { field: of }) });

describe("a scan", () => {
  const table = async () => madeTable({ schema: SCHEMA, base: await parquetOf([keys, numbers]) });

  test("has nulls for columns that the base file lacks", async () => {
    expect(await rowsIn(await table(), { columns: [KEY, "v"] })).toEqual([
      ["a", null],
      ["b", null],
      ["c", null],
    ]);
    expect(await rowsIn(await table(), { columns: ["v"] })).toEqual([[null], [null], [null]]);
    expect(
      await rowsIn(await table(), { columns: ["v"], where: { column: "n", op: ">", value: 1 } }),
    ).toEqual([[null]]);
  });

  test("of an empty base file has no rows", async () => {
    const empty = await parquetOf([{ ...keys, values: [] }]);
    const made = await madeTable({ schema: SCHEMA, base: empty });
    expect([await rowsIn(made), await rowsIn(made, { columns: ["v"] })]).toEqual([[], []]);
  });

  test("does not read base files in ORC", async () => {
    const files = madeFiles({ schema: SCHEMA });
    files.set(BASE.replace("parquet", "orc"), new TextEncoder().encode("ORC"));
    const made = await openHudiTable(memoryTree(files));
    await expect(rowsIn(made)).rejects.toThrow(refused("E_UNSUPPORTED", "format"));
  });

  test("does not read decimals as integers or as text", async () => {
    for (const name of ["n", "v"]) {
      const prices: MadeColumn = { name, type: "DECIMAL32", precision: 5, scale: 2, values: [100, 2, null] };
      const made = await madeTable({ schema: SCHEMA, base: await parquetOf([keys, prices]) });
      await expect(rowsIn(made)).rejects.toThrow(refused("E_UNSUPPORTED", name));
    }
  });

  test.each([0, 1, 2, 3, 4])("ends after %d rows", async (limit) => {
    const rows = await rowsIn(await table(), { columns: [KEY], limit });
    expect(rows).toEqual([["a"], ["b"], ["c"]].slice(0, limit));
  });

  test("refuses unknown columns, and conditions without one", async () => {
    for (const options of [{ columns: ["x"] }, { where: { column: "x", op: "=" as const, value: 1 } }]) {
      await expect(rowsIn(await table(), options)).rejects.toThrow(refused("E_INVALID_ARGUMENT", "column"));
    }
    await expect(rowsIn(await table(), { where: { op: "=", value: 1 } })).rejects.toThrow(
      refused("E_INVALID_ARGUMENT"),
    );
  });

  test("reads given slices, unless they lead out of the table", async () => {
    const slice = { partition: "", fileId: "f-0", baseInstant: T1, baseFile: BASE, logFiles: [] };
    expect(await rowsIn(await table(), { slices: [slice], columns: [KEY] })).toEqual([["a"], ["b"], ["c"]]);
    const log = logOf(SCHEMA, [["d", "x", 1]], T2);
    const logged = { ...slice, baseFile: undefined, logFiles: [LOG] };
    expect(
      await rowsIn(await madeTable({ schema: SCHEMA, log }), { slices: [logged], columns: [KEY] }),
    ).toEqual([["d"]]);
    for (const change of [{ baseFile: "../x" }, { logFiles: ["a/b"] }, { partition: ".." }]) {
      const read = rowsIn(await table(), { slices: [{ ...slice, ...change }] });
      await expect(read).rejects.toThrow(refused("E_CORRUPT"));
    }
  });

  test("has rows without keys beside the rows of logs", async () => {
    const base = await parquetOf([{ ...keys, values: ["a", null, "c"] }, numbers]);
    const made = await madeTable({ schema: SCHEMA, base, log: logOf(SCHEMA, [["d", null, 4]], T2) });
    expect(await rowsIn(made, { columns: [KEY, "n"] })).toEqual([
      ["a", 1],
      ["c", null],
      ["d", 4],
      [null, 2],
    ]);
  });
});

describe("partition columns that files do not have", () => {
  test.each([
    ["v", "x", "x"],
    ["n", "7", 7],
  ])("%s in the path %s: %j", async (name, partition, value) => {
    const properties = `hoodie.table.partition.fields=${name}\nhoodie.datasource.write.drop.partition.columns=true\n`;
    const base = await parquetOf([keys]);
    const table = await madeTable({ schema: SCHEMA, properties, base, partition });
    expect(await rowsIn(table, { columns: [KEY, name], limit: 1 })).toEqual([["a", value]]);
    expect(await rowsIn(table, { columns: [KEY], limit: 1 })).toEqual([["a"]]);
    const read = rowsIn(table, { columns: [KEY, name], readOptimized: true, limit: 1 });
    expect(await read).toEqual([["a", value]]);
  });
});

describe("the schema of a table", () => {
  const names = async (made: Parameters<typeof madeTable>[0]) =>
    (await tableColumns(await madeTable(made))).map(({ name }) => name);
  const ADDED = [
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_partition_path",
    "_hoodie_file_name",
  ];

  test("is that of a base file when no commit has one", async () => {
    const base = await parquetOf([keys], JSON.stringify(schemaOf(KEY, "v")));
    for (const partition of ["", "p/q"]) {
      expect(await names({ base, partition })).toEqual([...ADDED, KEY, "v"]);
    }
    expect(await rowsIn(await madeTable({ base }), { columns: ["v"], limit: 1 })).toEqual([[null]]);
  });

  test("has no added columns in tables without them", async () => {
    const properties = "hoodie.populate.meta.fields=false\n";
    expect(await names({ schema: SCHEMA, properties })).toEqual([KEY, "v", "n"]);
    const table = await madeTable({ schema: schemaOf("n"), properties, base: await parquetOf([numbers]) });
    expect(await rowsIn(table)).toEqual([[1], [2], [null]]);
    expect(await verifyTable(table, { deep: true })).toMatchObject({ ok: true, rows: 3 });
  });

  test("is required, and is that of records", async () => {
    const missing = refused("E_NOT_FOUND", "schema");
    await expect(names({})).rejects.toThrow(missing);
    await expect(names({ log: logOf(SCHEMA, [], T2) })).rejects.toThrow(missing);
    await expect(names({ base: await parquetOf([keys]) })).rejects.toThrow(missing);
    await expect(names({ schema: "int" })).rejects.toThrow(refused("E_CORRUPT", "schema"));
  });

  test("may lack partition columns, which a path has", async () => {
    const properties = "hoodie.table.partition.fields=gone\n";
    const base = await parquetOf([keys, numbers]);
    const table = await madeTable({ schema: SCHEMA, properties, base, partition: "x" });
    expect(await rowsIn(table, { columns: ["n"], readOptimized: true })).toEqual([[1], [2], [null]]);
  });
});

describe("a record", () => {
  test("is found without a record index", async () => {
    const table = await madeTable({ schema: SCHEMA, base: await parquetOf([keys, numbers]) });
    const { location, row } = await getRecord(table, "b", { columns: [KEY, "n"] });
    expect([location, row?.columns.map((column) => column.get(0))]).toEqual([undefined, ["b", 2]]);
    expect(await getRecord(table, "x")).toEqual({ location: undefined, row: undefined });
  });

  test("that the record index does not have is not looked for elsewhere", async () => {
    const table = await openHudiTable(goldenTree("mor_v9"));
    expect(await getRecord(table, "absent")).toEqual({ location: undefined, row: undefined });
  });
});
