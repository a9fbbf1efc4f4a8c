/** Reads `rowset.json` (see `manifest.ts`), which may be damaged or edited: every field is checked. */
import { CFileError, compareBytes, corrupt, isCFileError } from "@cfile/bytes";
import { COMPRESSION_TYPES } from "@cfile/compression";
import { decodeCell } from "@cfile/deltafile";
import { type CellValue, DATA_TYPES, ENCODING_TYPES } from "@cfile/encodings";
import { isFileName } from "@cfile/io";
import { JsonFields } from "../schema/json-fields.js";
import { checkSchema, keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";
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
 * @throws {CFileError} `E_CORRUPT` naming the field: invalid JSON, a missing, unknown or invalid field, a file or column listed
 *   twice, a filename with a folder; `E_UNSUPPORTED` for another version
 */
export function parseManifest(bytes: Uint8Array, path: string): Manifest {
  const json = new JsonFields(parseJson(bytes, path), path);
  if (json.string("format") !== MANIFEST_FORMAT) {
    throw json.wrong("format", `not a table store (format must be "${MANIFEST_FORMAT}")`);
  }
  const version = json.integer("version");
  if (version !== MANIFEST_VERSION) {
    const reason = `unsupported version of table stores (expected ${MANIFEST_VERSION}, found ${version})`;
    const details = { path, field: "version", expected: MANIFEST_VERSION, actual: version };
    throw new CFileError("E_UNSUPPORTED", reason, details);
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
    throw corrupt(`invalid JSON: ${reason}`, { path, field: "JSON", cause });
  }
}

function parseSchema(json: JsonFields, path: string): RowSetSchema {
  const schema = { columns: json.objects("columns").map(parseColumn) };
  json.finish();
  try {
    checkSchema(schema);
  } catch (cause) {
    if (!isCFileError(cause)) {
      throw cause;
    }
    const field = `schema.${cause.field ?? "columns"}`;
    throw corrupt(cause.reason, { path, field, actual: cause.actual, cause });
  }
  return schema;
}

/** A column of a manifest. @throws {CFileError} `E_CORRUPT` naming the field */
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
  const file = (fields: JsonFields): ManifestFile => parseFile(fields, names);
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
    throw json.wrong("rows", "must be at least 1", 0);
  }
  if (compareBytes(rowSet.minKey, rowSet.maxKey) > 0) {
    throw json.wrong("minKey", "minKey is greater than maxKey");
  }
  if ((rowSet.adhocIndex !== undefined) !== keyColumns(schema).length > 1) {
    throw json.wrong("adhocIndex", "keys of several columns require an ad-hoc index, others have none");
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
    if (files.has(id)) {
      throw fields.wrong("id", "duplicate column", id);
    }
    if (!schema.columns.some((column) => column.id === id)) {
      throw fields.wrong("id", "unknown column", id);
    }
    files.set(id, parseFile(fields, names));
  }
  const missing = schema.columns.find(({ id }) => !files.has(id));
  if (missing !== undefined) {
    throw json.wrong("columns", `missing file of column ${missing.id}, ${JSON.stringify(missing.name)}`);
  }
  return files;
}

function parseFile(fields: JsonFields, names: Set<string>): ManifestFile {
  const file = fields.string("file");
  if (!isFileName(file)) {
    throw fields.wrong("file", "must be a filename without folder", file);
  }
  if (names.has(file)) {
    throw fields.wrong("file", "duplicate file", file);
  }
  names.add(file);
  const bytes = fields.integer("bytes");
  fields.finish();
  return { file, bytes };
}
