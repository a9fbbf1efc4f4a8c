/** `SchemaPB` and `ColumnSchemaPB` (docs/spec/kudu-data-dir.md#7-superblock). */
import { CFileError, corrupt } from "@cfile/bytes";
import { compressionTypeFromId } from "@cfile/compression";
import { decodeCell } from "@cfile/deltafile";
import { type CellValue, type DataType, dataTypeFromId, encodingTypeFromId } from "@cfile/encodings";
import type { RowSetColumn } from "@cfile/rowset";
import { requireCFileError } from "../blocks/problems.js";
import type { ColumnSchemaPB, SchemaPB } from "../generated/decode.js";

/** A column in a server's schema. */
export interface KuduColumn extends RowSetColumn {
  /** The stored default for rows that are inserted without this column. */
  readonly writeDefault: Uint8Array | undefined;
  readonly comment: string | undefined;
  readonly immutable: boolean;
  readonly autoIncrementing: boolean;
}

/** The columns of a table, in order. */
export interface KuduSchema {
  readonly columns: readonly KuduColumn[];
}

const NESTED = 21;

/**
 * A schema. Columns without IDs, as in requests, are numbered by position.
 *
 * @throws {CFileError} `E_CORRUPT`; `E_UNSUPPORTED` for unknown column types
 */
export function schemaOf(message: SchemaPB): KuduSchema {
  const columns = message.columns.map(columnOf);
  checkColumns(columns);
  return { columns };
}

/** Whether the server numbers the rows, because their keys would not be unique otherwise. */
export function hasNumberedRows({ columns }: KuduSchema): boolean {
  return columns.some(({ autoIncrementing }) => autoIncrementing);
}

function checkColumns(columns: readonly KuduColumn[]): void {
  const ids = new Set<number>();
  const names = new Set<string>();
  let keysEnded = false;
  for (const { id, name, isKey } of columns) {
    if (ids.has(id) || names.has(name)) {
      throw corrupt(`duplicate column ${JSON.stringify(name)} with ID ${id}`, { field: "schema" });
    }
    if (isKey && keysEnded) {
      throw corrupt(`key column ${JSON.stringify(name)} follows a column that is not part of the key`, {
        field: "is_key",
      });
    }
    keysEnded ||= !isKey;
    ids.add(id);
    names.add(name);
  }
}

function columnOf(message: ColumnSchemaPB, index: number): KuduColumn {
  const { name, typeAttributes } = message;
  const array = message.type === NESTED;
  const id = message.id ?? index;
  const type = typeOf(array ? elementType(message) : message.type, name);
  const nullable = message.isNullable ?? false;
  const { cfileBlockSize: blockSize = 0, readDefaultValue: readDefault } = message;
  // Each write in a log has a schema. Spread properties here would take most of the time it takes to read many logs.
  return {
    id,
    name,
    type,
    nullable,
    array,
    isKey: message.isKey ?? false,
    // The requested encoding; each file records its own.
    encoding: encodingTypeFromId(message.encoding ?? 0),
    compression: compressionTypeFromId(message.compression ?? 0),
    blockSize: blockSize > 0 ? blockSize : undefined,
    readDefault: readDefault && defaultOf({ id, name, type, nullable, array }, readDefault),
    writeDefault: message.writeDefaultValue,
    precision: typeAttributes?.precision,
    scale: typeAttributes?.scale,
    length: typeAttributes?.length,
    comment: message.comment,
    immutable: message.immutable ?? false,
    autoIncrementing: message.isAutoIncrementing ?? false,
  };
}

function elementType({ name, nestedType }: ColumnSchemaPB): number {
  const type = nestedType?.array?.type;
  if (type === undefined) {
    throw corrupt(`array column ${name} has no element type`, { field: "type" });
  }
  return type;
}

function typeOf(id: number, name: string): DataType {
  const type = dataTypeFromId(id);
  if (type === undefined) {
    const reason = `column ${JSON.stringify(name)} has unknown type ${id}`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "type", actual: id });
  }
  return type;
}

function defaultOf(
  column: Pick<RowSetColumn, "id" | "name" | "type" | "nullable" | "array">,
  data: Uint8Array,
): CellValue {
  try {
    return decodeCell(column, { isNull: false, data, start: 0, end: data.length }, { strings: "bytes" });
  } catch (error) {
    const { reason } = requireCFileError(error);
    throw corrupt(`invalid default of column ${JSON.stringify(column.name)}: ${reason}`, {
      field: "read_default_value",
      cause: error,
    });
  }
}
