/**
 * The columns of delta files, which know them by their persistent ids: what `delta cat --schema` describes.
 *
 * | form | |
 * | --- | --- |
 * | inline | `id:name:type` with commas between, types as in `schema.ts`: `11:c11:int32,12:name:string?` |
 * | a `.json` file | an object from name to `{"id", "type"}` |
 * | `rowset.json` of a row set | its columns |
 */
import { readFile } from "node:fs/promises";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { type ColumnSpec, isRecord, parseSchemaJson, parseType } from "../table/schema.js";
import { rowSetFolder } from "../table-store/row-set-path.js";

export interface DeltaColumnSpec extends ColumnSpec {
  readonly id: number;
}

const MAX_COLUMN_ID = 0x7fffffff;

/** @throws UsageError naming what is wrong and the form that is expected */
export async function givenDeltaSchema(context: CliContext, schema: string): Promise<DeltaColumnSpec[]> {
  if (!schema.endsWith(".json")) {
    return unique(schema.split(",").map(inlineColumn));
  }
  const folder = await rowSetFolder(schema);
  if (folder !== undefined) {
    return context.withRowSet(folder, async (rowSet) => [...rowSet.schema.columns]);
  }
  const json = parseSchemaJson(await readFile(schema, "utf8"), schema);
  return unique(Object.entries(json).map(([name, entry]) => jsonColumn(name, entry, schema)));
}

function inlineColumn(part: string): DeltaColumnSpec {
  const [, id, name, type] = /^\s*(\d+):(.+):([^:]+?)\s*$/.exec(part) ?? [];
  if (id === undefined || name === undefined || type === undefined) {
    throw new UsageError(
      `--schema: "${part}" is no column; id:name:type is expected, like 11:price:int64 or 12:note:string?`,
    );
  }
  return { id: columnId(Number(id), name), name, ...parseType(name, type) };
}

function jsonColumn(name: string, entry: unknown, path: string): DeltaColumnSpec {
  if (!isRecord(entry) || typeof entry["id"] !== "number" || typeof entry["type"] !== "string") {
    throw new UsageError(`${path}: column "${name}" needs id and type, like {"id": 11, "type": "int64"}`);
  }
  return { id: columnId(entry["id"], name), name, ...parseType(name, entry["type"]) };
}

/** @throws UsageError for what is no column id */
export function columnId(id: number, name: string): number {
  if (!(Number.isInteger(id) && id >= 0 && id <= MAX_COLUMN_ID)) {
    throw new UsageError(`--schema: column "${name}" has the id ${id}, 0 to ${MAX_COLUMN_ID} are possible`);
  }
  return id;
}

function unique(columns: DeltaColumnSpec[]): DeltaColumnSpec[] {
  const twice = columns.find(({ id }, i) => columns.findIndex((other) => other.id === id) < i);
  if (twice !== undefined) {
    throw new UsageError(`--schema: column id ${twice.id} is there twice`);
  }
  return columns;
}
