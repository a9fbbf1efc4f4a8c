/**
 * The top-level fields of the file metadata (docs/spec/parquet.md#1-file-frame), as far as they are valid: a file that was cut inside
 * its footer still has its schema.
 *
 * | field | content |
 * | --- | --- |
 * | 1 | version |
 * | 2 | schema: a list of structs |
 * | 3, 4 | number of rows; row groups |
 * | 5, 6, 7 | key-value metadata, writer, column orders |
 */
import { ByteReader, concatBytes, isCFileError } from "@cfile/bytes";
import { type FileMetaData, parquetMetadata, type SchemaElement } from "hyparquet";
import { skipField } from "../schema/thrift-struct.js";

/** File metadata, or its valid beginning. */
export interface FoundMetadata {
  /** All fields if `isComplete`, otherwise version and schema. */
  readonly metadata: FileMetaData;
  readonly isComplete: boolean;
  /** Bytes of the valid fields. */
  readonly size: number;
  /** The list of schema elements as stored, including its field head. */
  readonly schemaBytes: Uint8Array;
}

const SCHEMA = 2;
const ROW_GROUPS = 4;

/** Whether file metadata may start at `at`: version 1 or 2, then a list of structs that starts with a name or a repetition. */
export function hasMetadataShape(bytes: Uint8Array, at: number): boolean {
  const version = bytes[at + 1];
  const list = bytes[at + 3] ?? 0;
  const isStart = bytes[at] === 0x15 && (version === 2 || version === 4) && bytes[at + 2] === 0x19;
  if (!isStart || (list & 15) !== 12) {
    return false;
  }
  let first = at + 4;
  if (list >>> 4 === 15) {
    while ((bytes[first++] ?? 0) >= 0x80) {
      // Length of a list of more than 14 elements.
    }
  }
  return bytes[first] === 0x48 || bytes[first] === 0x35 || bytes[first] === 0x15;
}

/** The file metadata at the start of `bytes`; `undefined` if not even the schema is valid. */
export function readMetadataFields(bytes: Uint8Array): FoundMetadata | undefined {
  const reader = new ByteReader(bytes);
  const fields = new Map<number, { readonly from: number; readonly to: number }>();
  let isComplete = false;
  try {
    for (let id = 0; ; ) {
      const from = reader.position;
      const field = skipField(reader, id, "file metadata");
      if (field === undefined) {
        isComplete = true;
        break;
      }
      fields.set(field, { from, to: reader.position });
      id = field;
    }
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
  }
  const schema = fields.get(SCHEMA);
  if (schema === undefined || fields.get(1)?.from !== 0 || schema.from !== fields.get(1)?.to) {
    return undefined;
  }
  const size = isComplete ? reader.position : Math.max(...[...fields.values()].map(({ to }) => to));
  const schemaBytes = bytes.slice(schema.from, schema.to);
  const whole = isComplete && fields.has(ROW_GROUPS) ? decoded(bytes.subarray(0, size)) : undefined;
  if (whole !== undefined) {
    return { metadata: whole, isComplete: true, size, schemaBytes };
  }
  const partial = decoded(concatBytes([bytes.subarray(0, schema.to), NO_ROWS]));
  return partial && { metadata: partial, isComplete: false, size, schemaBytes };
}

/** The library expects the frame of a footer, and does not check the content. */
function decoded(thrift: Uint8Array): FileMetaData | undefined {
  const frame = new Uint8Array(thrift.length + 8);
  frame.set(thrift);
  const view = new DataView(frame.buffer);
  view.setUint32(thrift.length, thrift.length, true);
  view.setUint32(thrift.length + 4, 0x31524150, true);
  try {
    const metadata = parquetMetadata(frame, { geoparquet: false });
    const { schema, row_groups: groups, key_value_metadata: pairs = [] } = metadata;
    const isValid =
      [schema, groups, pairs].every(Array.isArray) &&
      groups.every(({ columns }) => Array.isArray(columns)) &&
      schema.every(hasPlainFields) &&
      pairs.every(({ key, value = "" }) => typeof key === "string" && typeof value === "string");
    return isValid ? metadata : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an element has a name, and no 64-bit integers, lists or structs where the format has none. */
function hasPlainFields({ logical_type: logical = { type: "NULL" }, ...fields }: SchemaElement): boolean {
  const isPlain = (value: unknown): boolean =>
    value === undefined ||
    typeof value === "boolean" ||
    typeof value === "string" ||
    Number.isSafeInteger(value);
  return (
    typeof fields.name === "string" && [...Object.values(fields), ...Object.values(logical)].every(isPlain)
  );
}

/** Fields 3 and 4 after field 2, and the end: no rows, no row groups. */
const NO_ROWS = /* @__PURE__ */ Uint8Array.of(0x16, 0, 0x19, 0x0c, 0);
