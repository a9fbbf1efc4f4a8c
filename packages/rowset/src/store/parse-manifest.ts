/** Reading `rowset.json` (see `manifest.ts`); nothing in it is believed. */
import { CFileError, compareBytes, corrupt, isCFileError } from "@cfile/bytes";
import { COMPRESSION_TYPES } from "@cfile/compression";
import { decodeCell } from "@cfile/deltafile";
import type { CellValue } from "@cfile/encodings";
import { DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { isFileName } from "@cfile/io";
import { checkSchema, keyColumns } from "../schema/check-schema.js";
import { JsonFields } from "../schema/json-fields.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import {
  MANIFEST_FILE,
  MANIFEST_FORMAT,
  MANIFEST_VERSION,
  type Manifest,
  type ManifestFile,
  type ManifestRowSet,
} from "./manifest.js";

const MAX_ROWS = 0xffffffff;
const MAX_INT32 = 0x7fffffff;

/**
 * @param path of the file, for errors
 * @throws CFileError `E_CORRUPT` naming the field: no JSON, a field that is missing, unknown or of another kind, a file or column
 *   named twice, a file name that leads elsewhere; `E_UNSUPPORTED` for another version
 */
export function parseManifest(bytes: Uint8Array, path: string): Manifest {
  const json = new JsonFields(parseJson(bytes, path), path);
  if (json.string("format") !== MANIFEST_FORMAT) {
    throw json.wrong("format", `${MANIFEST_FORMAT} is expected: this is no row set`);
  }
  const version = json.integer("version");
  if (version !== MANIFEST_VERSION) {
    throw new CFileError("E_UNSUPPORTED", `version ${version} of row sets, ${MANIFEST_VERSION} is known`, {
      path,
      field: "version",
      expected: MANIFEST_VERSION,
      actual: version,
    });
  }
  const schema = parseSchema(json.object("schema"), path);
  const names = new Set<string>([MANIFEST_FILE]);
  const manifest: Manifest = {
    schema,
    nextFile: json.integer("nextFile"),
    lastTimestamp: json.unsigned64("lastTimestamp"),
    historyStart: json.unsigned64("historyStart"),
    rowSets: json.objects("rowSets").map((fields) => parseRowSet(fields, schema, names)),
  };
  json.finish();
  return manifest;
}

function parseJson(bytes: Uint8Array, path: string): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw corrupt(`no JSON: ${reason}`, { path, field: "JSON", cause });
  }
}

function parseSchema(json: JsonFields, path: string): RowSetSchema {
  const schema = { columns: json.objects("columns").map(parseColumn) };
  json.finish();
  try {
    checkSchema(schema);
  } catch (cause) {
    if (isCFileError(cause)) {
      const field = `schema.${cause.field ?? "columns"}`;
      throw corrupt(cause.reason, { path, field, actual: cause.actual, cause });
    }
    throw cause;
  }
  return schema;
}

/** @throws CFileError `E_CORRUPT` naming the field of a column that is none */
export function parseColumn(json: JsonFields): RowSetColumn {
  const optional = <T>(name: string, read: () => T): T | undefined => (json.has(name) ? read() : undefined);
  const number = (name: string): number | undefined => optional(name, () => json.integer(name, MAX_INT32));
  const column = {
    id: json.integer("id", MAX_INT32),
    name: json.string("name"),
    type: json.oneOf("type", DATA_TYPES),
    nullable: json.boolean("nullable"),
    array: json.boolean("array"),
    isKey: json.boolean("key"),
    encoding: optional("encoding", () => json.oneOf("encoding", ENCODING_TYPES)),
    compression: optional("compression", () => json.oneOf("compression", COMPRESSION_TYPES)),
    blockSize: number("blockSize"),
    precision: number("precision"),
    scale: number("scale"),
    length: number("length"),
  };
  const readDefault = optional("readDefault", () => parseDefault(json, column));
  json.finish();
  return { ...column, readDefault };
}

function parseDefault(json: JsonFields, column: RowSetColumn): CellValue {
  const isNull = json.isNull("readDefault");
  const data = isNull ? new Uint8Array(0) : json.bytes("readDefault");
  try {
    return decodeCell(column, { isNull, data, start: 0, end: data.length });
  } catch (error) {
    throw isCFileError(error) ? json.wrong("readDefault", error.reason) : error;
  }
}

function parseRowSet(json: JsonFields, schema: RowSetSchema, names: Set<string>): ManifestRowSet {
  const file = (fields: JsonFields): ManifestFile => {
    const parsed = parseFile(fields, names);
    fields.finish();
    return parsed;
  };
  const rowSet = {
    rows: json.integer("rows", MAX_ROWS),
    minKey: json.bytes("minKey"),
    maxKey: json.bytes("maxKey"),
    columns: parseColumnFiles(json, schema, names),
    bloom: file(json.object("bloom")),
    adhocIndex: json.has("adhocIndex") ? file(json.object("adhocIndex")) : undefined,
    redo: json.objects("redo").map(file),
    undo: json.objects("undo").map(file),
  };
  json.finish();
  if (rowSet.rows === 0) {
    throw json.wrong("rows", "a row set has rows", 0);
  }
  if (compareBytes(rowSet.minKey, rowSet.maxKey) > 0) {
    throw json.wrong("minKey", "the first key is after the last");
  }
  if ((rowSet.adhocIndex !== undefined) !== keyColumns(schema).length > 1) {
    throw json.wrong("adhocIndex", "keys of several columns have an ad-hoc index, and only those");
  }
  return rowSet;
}

function parseColumnFiles(
  json: JsonFields,
  schema: RowSetSchema,
  names: Set<string>,
): ReadonlyMap<number, ManifestFile> {
  const files = new Map<number, ManifestFile>();
  for (const fields of json.objects("columns")) {
    const id = fields.integer("id", MAX_INT32);
    if (files.has(id) || !schema.columns.some((column) => column.id === id)) {
      throw fields.wrong(
        "id",
        files.has(id) ? "the column is there twice" : "the schema has no such column",
        id,
      );
    }
    files.set(id, parseFile(fields, names));
    fields.finish();
  }
  const missing = schema.columns.find(({ id }) => !files.has(id));
  if (missing !== undefined) {
    throw json.wrong("columns", `column ${missing.id}, ${JSON.stringify(missing.name)}, has no file`);
  }
  return files;
}

function parseFile(fields: JsonFields, names: Set<string>): ManifestFile {
  const file = fields.string("file");
  if (!isFileName(file)) {
    throw fields.wrong("file", "no plain file name", file);
  }
  if (names.has(file)) {
    throw fields.wrong("file", "the file is named twice", file);
  }
  names.add(file);
  return { file, bytes: fields.integer("bytes") };
}
