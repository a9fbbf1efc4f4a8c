/**
 * The columns of `delta cat --schema`, by their persistent IDs.
 *
 * | form | |
 * | --- | --- |
 * | inline | `id:name:type`, separated by commas, types as in `schema.ts`: `11:c11:int32,12:name:string?` |
 * | a `.json` file | an object from name to `{"id", "type"}` |
 * | `rowset.json` of a table store | its columns |
 */
import { readFile } from "node:fs/promises";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { invalidValue } from "../program/option.js";
import {
  type ColumnSpec,
  columnId,
  isRecord,
  parseSchemaJson,
  parseType,
  uniqueColumns,
} from "../table/schema.js";
import { directoryAt } from "../table-store/table-path.js";

export interface DeltaColumnSpec extends ColumnSpec {
  readonly id: number;
}

/** @throws UsageError naming what is wrong and the expected form */
export async function givenDeltaSchema(context: CliContext, schema: string): Promise<DeltaColumnSpec[]> {
  if (!schema.endsWith(".json")) {
    return uniqueColumns(schema.split(",").map(inlineColumn), "id");
  }
  if ((await directoryAt(schema)) !== undefined) {
    return context.withTableStore(schema, async (table) => [...table.schema.columns]);
  }
  const json = parseSchemaJson(await readFile(schema, "utf8"), schema);
  const columns = Object.entries(json).map(([name, entry]) => jsonColumn(name, entry, schema));
  return uniqueColumns(columns, "id");
}

function inlineColumn(part: string): DeltaColumnSpec {
  const [, id, name, type] = /^\s*(\d+):(.+):([^:]+?)\s*$/.exec(part) ?? [];
  if (id === undefined || name === undefined || type === undefined) {
    throw invalidValue("--schema", part, "must be ID:NAME:TYPE, like 11:price:int64 or 12:note:string?");
  }
  return { id: columnId(Number(id), name), name, ...parseType(name, type) };
}

function jsonColumn(name: string, entry: unknown, path: string): DeltaColumnSpec {
  if (!isRecord(entry) || typeof entry["id"] !== "number" || typeof entry["type"] !== "string") {
    throw new UsageError(`${path}: column "${name}": missing id or type, like {"id": 11, "type": "int64"}`);
  }
  return { id: columnId(entry["id"], name), name, ...parseType(name, entry["type"]) };
}
