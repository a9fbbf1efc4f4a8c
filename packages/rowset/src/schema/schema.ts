/**
 * The schema of a table: columns with persistent IDs, key columns first (docs/spec/diskrowset.md#1-composition,
 * docs/spec/diskrowset.md#5-comparable-key-encoding and docs/spec/diskrowset.md#9-limits).
 */
import { type CFileErrorDetails, invalidArgument } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import type { CellValue, DataType, EncodingType } from "@cfile/encodings";
import { DATA_TYPES, encodingsOf, resolveEncoding } from "@cfile/encodings";
import { unknownColumn } from "@cfile/encodings/conditions";

/** A column of a table. */
export interface RowSetColumn {
  /** Identifies the column permanently, even if columns are added, dropped or renamed; not its position. */
  readonly id: number;
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  /** Whether cells are arrays of `type`. */
  readonly array: boolean;
  /** Whether the column is part of the primary key. Key columns come first and are neither nullable nor arrays. */
  readonly isKey: boolean;
  /** Default `AUTO_ENCODING`. */
  readonly encoding?: EncodingType | undefined;
  /** Default: none, as in Kudu. */
  readonly compression?: CompressionType | undefined;
  /** In bytes. Default: Kudu's 262144. */
  readonly blockSize?: number | undefined;
  /** The cell of rows written before the column was added. Default: null, or `E_CORRUPT` if not nullable. */
  readonly readDefault?: CellValue | undefined;
  /** For decimals only. */
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  /** Maximum number of characters of a VARCHAR. */
  readonly length?: number | undefined;
}

/** The columns of a table: key columns first, in key order. */
export interface RowSetSchema {
  readonly columns: readonly RowSetColumn[];
}

const MAX_COLUMN_ID = 0x7fffffff;

/** The columns of the primary key. */
export function keyColumns(schema: RowSetSchema): readonly RowSetColumn[] {
  return schema.columns.filter((column) => column.isKey);
}

/**
 * The columns with these names, in this order; by default all.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an unknown name
 */
export function columnsNamed(
  { columns }: RowSetSchema,
  names: readonly string[] | undefined,
): readonly RowSetColumn[] {
  const named = (name: string, i: number): RowSetColumn => {
    const column = columns.find((candidate) => candidate.name === name);
    if (column === undefined) {
      throw unknownColumn(name, columns, `columns[${i}]`);
    }
    return column;
  };
  return names?.map(named) ?? columns;
}

/**
 * @throws {CFileError} `E_INVALID_ARGUMENT` naming the column when there is no key, a key column does not come first, is
 *   nullable, an array or of a type without order, an ID or name is invalid or used twice, a type or encoding is unknown
 */
export function checkSchema({ columns }: RowSetSchema): void {
  const ids = new Set<number>();
  const names = new Set<string>();
  for (const [position, column] of columns.entries()) {
    const details: CFileErrorDetails = { field: `columns[${position}]` };
    const { id, name } = column;
    if (!(Number.isInteger(id) && id >= 0 && id <= MAX_COLUMN_ID)) {
      throw invalidArgument(`invalid column ID: ${String(id)} (must be an integer >= 0)`, details);
    }
    if (typeof name !== "string" || name === "") {
      throw invalidArgument("missing column name", details);
    }
    if (ids.has(id) || names.has(name)) {
      throw invalidArgument(`column ID ${id} or name ${JSON.stringify(name)} is used twice`, details);
    }
    ids.add(id);
    names.add(name);
    checkType(column, details);
    if (column.isKey && position > 0 && !columns[position - 1]?.isKey) {
      throw invalidArgument(`key column ${JSON.stringify(name)} must come before other columns`, details);
    }
  }
  if (columns[0]?.isKey !== true) {
    throw invalidArgument("missing primary key (the first columns must be key columns)", {
      field: "columns",
    });
  }
}

function checkType(column: RowSetColumn, details: CFileErrorDetails): void {
  const { type, name, encoding = "AUTO_ENCODING" } = column;
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw invalidArgument(`unknown data type: ${String(type)}`, details);
  }
  if (column.isKey && (!DATA_TYPES[type].isKey || column.nullable || column.array)) {
    const found = column.nullable ? "nullable" : column.array ? "an array" : type;
    throw invalidArgument(`key column ${JSON.stringify(name)} cannot be ${found}`, details);
  }
  if (resolveEncoding(type, encoding) === undefined) {
    const known = encodingsOf(DATA_TYPES[type].physical).join(", ");
    throw invalidArgument(
      `invalid encoding of a ${type} column: ${String(encoding)} (use ${known})`,
      details,
    );
  }
}
