/** A schema that the command line gives: the text itself, or the path of a `.json` file. */
import { readFile } from "node:fs/promises";
import { type ColumnSpec, parseInlineSchema, parseSchemaFile } from "../table/schema.js";

/** @throws UsageError naming what is wrong and the form that is expected */
export async function givenSchema(schema: string): Promise<ColumnSpec[]> {
  return schema.endsWith(".json")
    ? parseSchemaFile(await readFile(schema, "utf8"), schema)
    : parseInlineSchema(schema);
}
