/**
 * Rejects renamed columns. With Hudi's schema evolution, columns have numbers, and files keep the column names of their time. This package
 * reads columns by name, so a column must have had only one name, and a name only one column.
 */

import type { AvroValue } from "@cfile/avro";
import { CFileError, corrupt } from "@cfile/bytes";
import type { HudiTable } from "../table/hudi-table.js";
import type { TableFiles } from "../table/table-files.js";
import { entriesOf, itemsOf, recordOf } from "../timeline/content-fields.js";
import { withPath } from "../timeline/timeline.js";
import { schemaCommit } from "./table-schema.js";

const FOLDER = ".hoodie/.schema";
/** Maximum depth of types. */
const MAX_DEPTH = 64;

/**
 * Requires that columns keep their names in all files.
 * @param asOf an instant; default: the latest
 * @throws {CFileError} `E_UNSUPPORTED` for a column that had another name, or a name of two columns; `E_NOT_FOUND` without the history
 */
export async function requireStableNames({ files, timeline }: HudiTable, asOf?: string): Promise<void> {
  const commit = await schemaCommit(timeline, asOf);
  if (commit?.latestSchema === undefined) {
    return;
  }
  const path = await newestHistory(files);
  try {
    compareVersions(await files.read(path));
  } catch (error) {
    throw withPath(error, files.nameOf(path));
  }
}

/** Path of the newest file, which has all versions of the schema. */
async function newestHistory(files: TableFiles): Promise<string> {
  const names = await files.fileNames(FOLDER);
  const name = names
    .filter((each) => /^\d+(_\d+)?\.schemacommit$/.test(each))
    .sort()
    .at(-1);
  if (name === undefined) {
    const details = { path: files.nameOf(FOLDER), field: "schema" };
    throw new CFileError("E_NOT_FOUND", "the history of the table's schema is missing", details);
  }
  return `${FOLDER}/${name}`;
}

function compareVersions(bytes: Uint8Array): void {
  let json: AvroValue;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch (cause) {
    throw corrupt("the history of the table's schema is not JSON", { offset: 0, field: "schemas", cause });
  }
  const numbers = new Map<string, number>();
  const names = new Map<number, string>();
  for (const version of itemsOf(recordOf(json, "schemas")["schemas"], "schemas")) {
    for (const [name, number] of fieldsIn(version, "", 0)) {
      if ((numbers.get(name) ?? number) !== number || (names.get(number) ?? name) !== name) {
        const reason = `column ${JSON.stringify(name)} may have another name or another meaning in older files`;
        throw new CFileError("E_UNSUPPORTED", reason, { field: name });
      }
      numbers.set(name, number);
      names.set(number, name);
    }
  }
}

/** The fields of structs in a type, with their paths and numbers. */
function* fieldsIn(type: AvroValue | undefined, prefix: string, depth: number): Generator<[string, number]> {
  if (typeof type === "string") {
    return;
  }
  if (depth > MAX_DEPTH) {
    throw new CFileError("E_LIMIT", `the table's schema is deeper than ${MAX_DEPTH} levels`, {
      field: "schemas",
    });
  }
  const own = recordOf(type, "type");
  for (const item of itemsOf(own["fields"], "fields")) {
    const { name, id, type: inner } = recordOf(item, "field");
    if (typeof name !== "string" || typeof id !== "number") {
      throw corrupt("a field of the table's schema has no name or number", { field: "fields" });
    }
    yield [prefix + name, id];
    yield* fieldsIn(inner, `${prefix}${name}.`, depth + 1);
  }
  for (const [key, inner] of entriesOf(own, "type")) {
    if (key === "element" || key === "value") {
      yield* fieldsIn(inner, `${prefix}${key}.`, depth + 1);
    }
  }
}
