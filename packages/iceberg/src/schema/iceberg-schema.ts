/** Iceberg schemas of Kudu columns (https://iceberg.apache.org/spec/#schemas-and-data-types). */
import { CFileError } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import type { TableColumn } from "@cfile/format";

/** A column of the source. */
export interface SourceColumn extends TableColumn {
  /** Becomes the field ID. */
  readonly id: number;
  readonly isKey?: boolean | undefined;
  readonly comment?: string | undefined;
}

/** A type in JSON: a name, or a list. */
export type IcebergType =
  | string
  | {
      readonly type: "list";
      readonly "element-id": number;
      readonly element: string;
      readonly "element-required": boolean;
    };

/** A column, or a part of one. */
export interface IcebergField {
  readonly id: number;
  readonly name: string;
  readonly required: boolean;
  readonly type: IcebergType;
  readonly doc?: string;
}

/** A schema in the JSON form of table metadata. */
export interface IcebergSchema {
  readonly type: "struct";
  readonly "schema-id": number;
  readonly "identifier-field-ids"?: readonly number[];
  readonly fields: readonly IcebergField[];
}

const TYPES: Readonly<Partial<Record<DataType, string>>> = /* @__PURE__ */ Object.freeze({
  BOOL: "boolean",
  INT8: "int",
  INT16: "int",
  INT32: "int",
  INT64: "long",
  FLOAT: "float",
  DOUBLE: "double",
  DATE: "date",
  UNIXTIME_MICROS: "timestamptz",
  STRING: "string",
  VARCHAR: "string",
  BINARY: "binary",
});
const DECIMAL_DIGITS: Readonly<Partial<Record<DataType, number>>> = /* @__PURE__ */ Object.freeze({
  DECIMAL32: 9,
  DECIMAL64: 18,
  DECIMAL128: 38,
});
/** IDs of list elements, above those of columns. */
const ELEMENT_ID = 1_000_000;

/**
 * The schema of a table. The key columns, if any, identify a row.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for a type that Iceberg lacks, or a column ID outside 0 to 999,999
 */
export function icebergSchema(columns: readonly SourceColumn[]): IcebergSchema {
  const fields = columns.map((column): IcebergField => {
    const { id, name, nullable, comment } = column;
    if (!(Number.isSafeInteger(id) && id >= 0 && id < ELEMENT_ID)) {
      throw unsupported(column, `its ID is ${id} (must be from 0 to ${ELEMENT_ID - 1})`);
    }
    const doc = comment === undefined || comment === "" ? {} : { doc: comment };
    return { id, name, required: !nullable, type: typeOf(column), ...doc };
  });
  const keys = columns.filter(({ isKey }) => isKey === true).map(({ id }) => id);
  const identifier = keys.length > 0 ? { "identifier-field-ids": keys } : {};
  return { type: "struct", "schema-id": 0, ...identifier, fields };
}

/** The highest ID of a schema. */
export function lastColumnId({ fields }: IcebergSchema): number {
  return Math.max(...fields.flatMap(fieldIds));
}

/** The ID of a column and, for a list, that of its elements. */
export function fieldIds({ id, type }: IcebergField): number[] {
  return typeof type === "string" ? [id] : [id, type["element-id"]];
}

function typeOf(column: SourceColumn): IcebergType {
  const scalar = scalarType(column);
  if (!column.array) {
    return scalar;
  }
  return {
    type: "list",
    "element-id": ELEMENT_ID + column.id,
    element: scalar,
    "element-required": false,
  };
}

function scalarType(column: SourceColumn): string {
  const { type, scale = 0 } = column;
  const digits = DECIMAL_DIGITS[type];
  if (digits !== undefined) {
    return `decimal(${column.precision ?? digits}, ${scale})`;
  }
  const name = TYPES[type];
  if (name === undefined) {
    throw unsupported(column, `Iceberg has no type for ${type}`);
  }
  return name;
}

function unsupported({ name }: SourceColumn, reason: string): CFileError {
  return new CFileError(
    "E_UNSUPPORTED",
    `column ${JSON.stringify(name)} cannot be in an Iceberg table: ${reason}`,
    {
      field: name,
    },
  );
}
