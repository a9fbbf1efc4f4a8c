/** Tables with renamed columns: files use the names of the table for different columns. */
import { describe, expect, test } from "vitest";
import { getRecord } from "../src/index.js";
import { logOf } from "./made-logs.js";
import { type MadeTable, madeTable, parquetOf, rowsIn, T2 } from "./made-table.js";

const KEY = "_hoodie_record_key";
const SCHEMA = {
  ...{ type: "record", name: "r" },
  fields: [KEY, "v"].map((name) => ({ name, type: ["null", "string"] })),
};
const refused = (code: string, field: string) => expect.objectContaining({ code, field });

/** A version of the schema, from names and numbers. */
const version = (...fields: readonly (readonly [name: string, id: number, type?: unknown])[]) => ({
  ...{ version_id: 0, max_column_id: 9, type: "record" },
  fields: fields.map(([name, id, type = "string"]) => ({ name, id, optional: true, type })),
});
const historyOf = (...schemas: readonly unknown[]): string => JSON.stringify({ schemas });
const listOf = (element: unknown) => ({ type: "array", element_id: 8, element_optional: true, element });
const mapOf = (value: unknown) => ({ type: "map", key_id: 6, value_id: 7, key: "string", value });

async function made(more: MadeTable) {
  const base = await parquetOf([
    { name: KEY, type: "STRING", values: ["a", "b"] },
    { name: "v", type: "STRING", values: ["1", "2"] },
  ]);
  return madeTable({ schema: SCHEMA, base, log: logOf(SCHEMA, [["b", "3"]], T2), ...more });
}

describe("a table with versions of its schema", () => {
  test("is read when columns were added, dropped, moved or changed in type", async () => {
    const history = historyOf(
      version([KEY, 0], ["v", 1], ["s", 4, version(["y", 6], ["x", 5])]),
      version(["v", 1, "int"], [KEY, 0], ["dropped", 3]),
      version(["v", 1, "int"], [KEY, 0]),
    );
    const table = await made({ history });
    expect(await rowsIn(table, { columns: [KEY, "v"] })).toEqual([
      ["a", "1"],
      ["b", "3"],
    ]);
  });

  test("is read by the schema of its base files if no commit has one", async () => {
    const base = await parquetOf([{ name: KEY, type: "STRING", values: ["a"] }], JSON.stringify(SCHEMA));
    const table = await madeTable({ base });
    expect(await rowsIn(table, { columns: [KEY, "v"] })).toEqual([["a", null]]);
  });

  test.each<[string, string, string]>([
    ["a renamed column", "old", historyOf(version([KEY, 0], ["v", 1]), version([KEY, 0], ["old", 1]))],
    [
      "a column that was dropped and added again",
      "v",
      historyOf(version([KEY, 0], ["v", 2]), version([KEY, 0]), version([KEY, 0], ["v", 1])),
    ],
    [
      "a renamed field of a struct",
      "s.y",
      historyOf(version(["s", 1, version(["x", 2])]), version(["s", 1, version(["y", 2])])),
    ],
    [
      "a renamed field in lists of maps",
      "s.element.value.y",
      historyOf(
        version(["s", 1, listOf(mapOf(version(["x", 2])))]),
        version(["s", 1, listOf(mapOf(version(["y", 2])))]),
      ),
    ],
  ])("is not read with %s", async (_, field, history) => {
    const table = await made({ history });
    for (const read of [rowsIn(table), rowsIn(table, { readOptimized: true }), getRecord(table, "a")]) {
      await expect(read).rejects.toThrow(refused("E_UNSUPPORTED", field));
    }
  });

  let deep: unknown = "string";
  for (let i = 0; i < 70; i++) {
    deep = listOf(deep);
  }
  test.each<[string, string, string, string | undefined]>([
    ["without the history", "E_NOT_FOUND", "schema", undefined],
    ["with a history that is not JSON", "E_CORRUPT", "schemas", "{"],
    ["with a history that is a list", "E_CORRUPT", "schemas", "[]"],
    ["with fields without a name", "E_CORRUPT", "fields", '{"schemas":[{"fields":[{"id":1}]}]}'],
    ["with fields without a number", "E_CORRUPT", "fields", '{"schemas":[{"fields":[{"name":"v"}]}]}'],
    ["with fields without a type", "E_CORRUPT", "type", '{"schemas":[{"fields":[{"name":"v","id":1}]}]}'],
    ["with a type that is too deep", "E_LIMIT", "schemas", historyOf(version(["v", 1, deep]))],
  ])("is not read %s", async (_, code, field, history) => {
    const table = await made({ history, isEvolved: true });
    await expect(rowsIn(table)).rejects.toThrow(refused(code, field));
  });
});
