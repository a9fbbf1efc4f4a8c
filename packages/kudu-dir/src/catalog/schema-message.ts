/** `SchemaPB` and `ColumnSchemaPB` (docs/spec/kudu-data-dir.md#7-superblock). */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { compressionTypeFromId } from "@cfile/compression";
import { decodeCell } from "@cfile/deltafile";
import type { CellValue, DataType, EncodingType } from "@cfile/encodings";
import { dataTypeFromId, encodingTypeFromId } from "@cfile/encodings";
import type { RowSetColumn } from "@cfile/rowset";
import { type MessageReader, required } from "./protobuf-message.js";

/** A column as the server knows it. */
export interface KuduColumn extends RowSetColumn {
  /** What rows are given that are inserted without a value of the column, as stored. */
  readonly writeDefault: Uint8Array | undefined;
  readonly comment: string | undefined;
  readonly immutable: boolean;
  readonly autoIncrementing: boolean;
}

export interface KuduSchema {
  readonly columns: readonly KuduColumn[];
}

interface ColumnFields {
  id: number | undefined;
  name: string | undefined;
  type: number | undefined;
  isKey: boolean;
  nullable: boolean;
  readDefault: Uint8Array | undefined;
  writeDefault: Uint8Array | undefined;
  encoding: number;
  compression: number;
  blockSize: number;
  attributes: Attributes;
  comment: string | undefined;
  immutable: boolean;
  autoIncrementing: boolean;
  elementType: number | undefined;
}

interface Attributes {
  precision?: number;
  scale?: number;
  length?: number;
}

const NESTED = 21;

/**
 * A schema whose columns have ids; without ids, as in requests, they are numbered by place.
 *
 * @throws CFileError `E_CORRUPT`, `E_TRUNCATED`; `E_UNSUPPORTED` for types that columns cannot have
 */
export function parseSchema(message: MessageReader): KuduSchema {
  const columns: KuduColumn[] = [];
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field === 1) {
      columns.push(columnOf(parseFields(message.message("ColumnSchemaPB")), columns.length));
    } else {
      message.skip();
    }
  }
  checkColumns(columns);
  return { columns };
}

function checkColumns(columns: readonly KuduColumn[]): void {
  const ids = new Set<number>();
  const names = new Set<string>();
  let keysEnded = false;
  for (const { id, name, isKey } of columns) {
    if (ids.has(id) || names.has(name)) {
      throw corrupt(`column ${JSON.stringify(name)} with id ${id} is there twice`, { field: "schema" });
    }
    if (isKey && keysEnded) {
      throw corrupt(`key column ${JSON.stringify(name)} does not stand first`, { field: "is_key" });
    }
    keysEnded ||= !isKey;
    ids.add(id);
    names.add(name);
  }
}

function parseFields(message: MessageReader): ColumnFields {
  const found: ColumnFields = {
    id: undefined,
    name: undefined,
    type: undefined,
    isKey: false,
    nullable: false,
    readDefault: undefined,
    writeDefault: undefined,
    encoding: 0,
    compression: 0,
    blockSize: 0,
    attributes: {},
    comment: undefined,
    immutable: false,
    autoIncrementing: false,
    elementType: undefined,
  };
  const readers: Readonly<Record<number, () => void>> = {
    1: () => (found.id = message.int32("id")),
    2: () => (found.name = message.text("name")),
    3: () => (found.type = message.int32("type")),
    4: () => (found.isKey = message.bool("is_key")),
    5: () => (found.nullable = message.bool("is_nullable")),
    6: () => (found.readDefault = message.bytes("read_default_value")),
    7: () => (found.writeDefault = message.bytes("write_default_value")),
    8: () => (found.encoding = message.int32("encoding")),
    9: () => (found.compression = message.int32("compression")),
    10: () => (found.blockSize = message.int32("cfile_block_size")),
    11: () => (found.attributes = parseAttributes(message.message("type_attributes"))),
    12: () => (found.comment = message.text("comment")),
    13: () => (found.immutable = message.bool("immutable")),
    14: () => (found.autoIncrementing = message.bool("is_auto_incrementing")),
    15: () => (found.elementType = parseNested(message.message("nested_type"))),
  };
  for (let field = message.next(); field !== 0; field = message.next()) {
    (readers[field] ?? (() => message.skip()))();
  }
  return found;
}

function parseAttributes(message: MessageReader): Attributes {
  const found: Attributes = {};
  const names: readonly (keyof Attributes | undefined)[] = [undefined, "precision", "scale", "length"];
  for (let field = message.next(); field !== 0; field = message.next()) {
    const name = names[field];
    if (name === undefined) {
      message.skip();
    } else {
      found[name] = message.int32(name);
    }
  }
  return found;
}

/** The type of an array's elements. */
function parseNested(message: MessageReader): number | undefined {
  let type: number | undefined;
  for (let field = message.next(); field !== 0; field = message.next()) {
    if (field !== 1) {
      message.skip();
      continue;
    }
    const array = message.message("array");
    for (let part = array.next(); part !== 0; part = array.next()) {
      if (part === 1) {
        type = array.int32("type");
      } else {
        array.skip();
      }
    }
  }
  return type;
}

function columnOf(fields: ColumnFields, place: number): KuduColumn {
  const name = required(fields.name, "ColumnSchemaPB", "name");
  const array = fields.type === NESTED;
  const column = {
    id: fields.id ?? place,
    name,
    type: typeOf(required(array ? fields.elementType : fields.type, `column ${name}`, "type"), name),
    nullable: fields.nullable,
    array,
    isKey: fields.isKey,
  };
  return {
    ...column,
    encoding: encodingOf(fields.encoding),
    compression: compressionOf(fields.compression),
    blockSize: fields.blockSize > 0 ? fields.blockSize : undefined,
    readDefault: fields.readDefault && defaultOf(column, fields.readDefault),
    writeDefault: fields.writeDefault,
    ...fields.attributes,
    comment: fields.comment,
    immutable: fields.immutable,
    autoIncrementing: fields.autoIncrementing,
  };
}

function typeOf(id: number, name: string): DataType {
  const type = dataTypeFromId(id);
  if (type === undefined) {
    throw new CFileError("E_UNSUPPORTED", `column ${JSON.stringify(name)} is of type ${id}`, {
      field: "type",
      actual: id,
    });
  }
  return type;
}

/** What the schema wishes; files tell themselves how they are encoded. */
function encodingOf(id: number): EncodingType | undefined {
  return encodingTypeFromId(id);
}

function compressionOf(id: number): CompressionType | undefined {
  return compressionTypeFromId(id);
}

function defaultOf(
  column: Pick<RowSetColumn, "id" | "name" | "type" | "nullable" | "array">,
  data: Uint8Array,
): CellValue {
  try {
    return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
  } catch (error) {
    if (isCFileError(error)) {
      throw corrupt(`the default of column ${JSON.stringify(column.name)} is none: ${error.reason}`, {
        field: "read_default_value",
        cause: error,
      });
    }
    throw error;
  }
}
