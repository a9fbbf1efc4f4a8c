/**
 * Whether a schema is one that row sets can have (docs/spec/diskrowset.md#1-composition,
 * docs/spec/diskrowset.md#5-comparable-key-encoding and docs/spec/diskrowset.md#9-limits).
 */
import { type CFileErrorDetails, invalidArgument } from "@cfile/bytes";
import { DATA_TYPES, encodingsOf, resolveEncoding } from "@cfile/encodings";
import type { RowSetColumn, RowSetSchema } from "./schema.js";

const MAX_COLUMN_ID = 0x7fffffff;

/**
 * @throws CFileError `E_INVALID_ARGUMENT` naming the column: no key columns or not first, a key that is nullable, an array or
 *   of a type without order, an id or a name that is used twice, an unknown type or encoding
 */
export function checkSchema(schema: RowSetSchema): void {
  const { columns } = schema;
  const ids = new Set<number>();
  const names = new Set<string>();
  let isKeyPart = true;
  columns.forEach((column, position) => {
    const details: CFileErrorDetails = { field: `columns[${position}]` };
    const { id, name } = column;
    if (!(Number.isInteger(id) && id >= 0 && id <= MAX_COLUMN_ID)) {
      throw invalidArgument(`${String(id)} is no column id`, details);
    }
    if (typeof name !== "string" || name === "") {
      throw invalidArgument("a column has a name", details);
    }
    if (ids.has(id) || names.has(name)) {
      throw invalidArgument(`column id ${id} or name ${JSON.stringify(name)} is used twice`, details);
    }
    ids.add(id);
    names.add(name);
    checkType(column, details);
    if (column.isKey && !isKeyPart) {
      throw invalidArgument(
        `key column ${JSON.stringify(name)} stands behind columns that are none`,
        details,
      );
    }
    isKeyPart = column.isKey;
  });
  if (columns[0]?.isKey !== true) {
    throw invalidArgument("the first columns are the primary key: there is none", { field: "columns" });
  }
}

function checkType(column: RowSetColumn, details: CFileErrorDetails): void {
  const { type, name, encoding = "AUTO_ENCODING" } = column;
  if (!Object.hasOwn(DATA_TYPES, type)) {
    throw invalidArgument(`${String(type)} is not a data type`, details);
  }
  if (column.isKey && (!DATA_TYPES[type].isKey || column.nullable || column.array)) {
    throw invalidArgument(
      `key column ${JSON.stringify(name)} cannot be ${column.nullable ? "nullable" : column.array ? "an array" : type}`,
      details,
    );
  }
  if (resolveEncoding(type, encoding) === undefined) {
    const known = encodingsOf(DATA_TYPES[type].physical).join(", ");
    throw invalidArgument(`${type} columns have no ${String(encoding)}; they have ${known}`, details);
  }
}

/** The columns of the primary key. */
export function keyColumns(schema: RowSetSchema): readonly RowSetColumn[] {
  return schema.columns.filter((column) => column.isKey);
}
