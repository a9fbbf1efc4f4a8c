/** Columns that files lack, and whose default in the table's schema is not null. */
import { expect, test } from "vitest";
import { logOf } from "./made-logs.js";
import { type MadeColumn, type MadeTable, madeTable, parquetOf, rowsIn, T2 } from "./made-table.js";

const KEY = "_hoodie_record_key";
const TEXT = { name: KEY, type: ["null", "string"] };
const NUMBER = { name: "n", type: "int", default: 7 };
const schemaOf = (...fields: readonly unknown[]) => ({ type: "record", name: "r", fields });
const structOf = (...fields: readonly unknown[]) => ({
  name: "s",
  type: { type: "record", name: "inner", fields },
});
const PLAIN = { name: "x", type: "int" };
const keys: MadeColumn = { name: KEY, type: "STRING", values: ["a", "b"] };
const numbers: MadeColumn = { name: "n", type: "INT32", values: [1, 2] };
const refused = expect.objectContaining({ code: "E_UNSUPPORTED", field: "n" });

test.each<[string, () => Promise<MadeTable>]>([
  ["a base file", async () => ({ schema: schemaOf(TEXT, NUMBER), base: await parquetOf([keys]) })],
  ["a log", async () => ({ schema: schemaOf(TEXT, NUMBER), log: logOf(schemaOf(TEXT), [["a"]], T2) })],
  [
    "structs of a log",
    async () => ({
      schema: schemaOf(TEXT, structOf(PLAIN, NUMBER)),
      log: logOf(schemaOf(TEXT, structOf(PLAIN)), [["a", { x: 1 }]], T2),
    }),
  ],
])("are refused in %s, where Hudi's readers have different values", async (_, made) => {
  const table = await madeTable(await made());
  await expect(rowsIn(table)).rejects.toThrow(refused);
  expect((await rowsIn(table, { columns: [KEY] })).flat()).toContain("a");
});

test("are refused when no column is in a base file", async () => {
  const table = await madeTable({ schema: schemaOf(TEXT, NUMBER), base: await parquetOf([keys]) });
  await expect(rowsIn(table, { columns: ["n"] })).rejects.toThrow(refused);
});

test("have the values of files that have them", async () => {
  const table = await madeTable({
    schema: schemaOf(TEXT, NUMBER),
    base: await parquetOf([keys, numbers]),
    log: logOf(schemaOf(TEXT, NUMBER), [["b", 3]], T2),
  });
  expect(await rowsIn(table, { columns: [KEY, "n"] })).toEqual([
    ["a", 1],
    ["b", 3],
  ]);
});

test.each([
  ["boolean", false],
  ["int", 0],
  ["long", 0],
  ["double", 0],
])("of type %s are %j in base files and logs if that is the default", async (type, value) => {
  const schema = schemaOf(TEXT, { name: "n", type, default: value });
  const table = await madeTable({
    schema,
    base: await parquetOf([keys]),
    log: logOf(schemaOf(TEXT), [["b"]], T2),
  });
  expect(await rowsIn(table, { columns: [KEY, "n"] })).toEqual([
    ["a", value],
    ["b", value],
  ]);
  expect(await rowsIn(table, { columns: ["n"], where: { column: "n", op: "isNull" } })).toEqual([]);
});

test.each([
  ["a number that may be null", ["int", "null"], 0],
  ["a date", { type: "int", logicalType: "date" }, 0],
  ["an empty text", "string", ""],
])("are refused for %s", async (_, type, value) => {
  const schema = schemaOf(TEXT, { name: "n", type, default: value });
  const table = await madeTable({ schema, base: await parquetOf([keys]) });
  await expect(rowsIn(table)).rejects.toThrow(refused);
});
