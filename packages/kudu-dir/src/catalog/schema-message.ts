/** `SchemaPB` and `ColumnSchemaPB` (docs/spec/kudu-data-dir.md#7-superblock). */
import { CFileError, corrupt, isCFileError } from "@cfile/bytes";
import { compressionTypeFromId } from "@cfile/compression";
import { decodeCell } from "@cfile/deltafile";
import { type CellValue, type DataType, dataTypeFromId, encodingTypeFromId } from "@cfile/encodings";
import type { RowSetColumn } from "@cfile/rowset";
import type { ColumnSchemaPB, SchemaPB } from "../generated/decode.js";

/** A column as the server knows it. */
export interface KuduColumn extends RowSetColumn {
  /** What rows are given that are inserted without a value of the column, as stored. */
  readonly writeDefault: Uint8Array | undefined;
  readonly comment: string | undefined;
  readonly immutable: boolean;
  readonly autoIncrementing: boolean;
}

/** The columns of a table, in the order of the table. */
export interface KuduSchema {
  readonly columns: readonly KuduColumn[];
}

const NESTED = 21;

/**
 * A schema whose columns have ids; without ids, as in requests, they are numbered by place.
 *
 * @throws CFileError `E_CORRUPT`; `E_UNSUPPORTED` for types that columns cannot have
 */
export function schemaOf(message: SchemaPB): KuduSchema {
  const columns = message.columns.map(columnOf);
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

function columnOf(message: ColumnSchemaPB, place: number): KuduColumn {
  const { name, typeAttributes } = message;
  const array = message.type === NESTED;
  const column = {
    id: message.id ?? place,
    name,
    type: typeOf(array ? elementType(message) : message.type, name),
    nullable: message.isNullable ?? false,
    array,
    isKey: message.isKey ?? false,
  };
  const { cfileBlockSize: blockSize = 0, readDefaultValue: readDefault } = message;
  return {
    ...column,
    // What the schema wishes; files tell themselves how they are encoded.
    encoding: encodingTypeFromId(message.encoding ?? 0),
    compression: compressionTypeFromId(message.compression ?? 0),
    blockSize: blockSize > 0 ? blockSize : undefined,
    readDefault: readDefault && defaultOf(column, readDefault),
    writeDefault: message.writeDefaultValue,
    ...typeAttributes,
    comment: message.comment,
    immutable: message.immutable ?? false,
    autoIncrementing: message.isAutoIncrementing ?? false,
  };
}

function elementType({ name, nestedType }: ColumnSchemaPB): number {
  const type = nestedType?.array?.type;
  if (type === undefined) {
    throw corrupt(`column ${name} is an array of no type`, { field: "type" });
  }
  return type;
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
