/** Schema elements of columns (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). */
import type { DataType } from "@cfile/encodings";
import type { SchemaElement } from "hyparquet";
import { DECIMAL_DIGITS } from "./leaf-kind.js";
import type { ParquetColumn } from "./readable-leaf.js";

type Leaf = Omit<SchemaElement, "name" | "repetition_type">;

/** Elements of a column, depth first. @param isText whether its strings are UTF-8 */
export function schemaOf(column: ParquetColumn, isText: boolean): SchemaElement[] {
  const { name, nullable, array } = column;
  const leaf = leafOf(column, isText);
  const repetition_type = nullable ? "OPTIONAL" : "REQUIRED";
  if (!array) {
    return [{ name, repetition_type, ...leaf }];
  }
  return [
    { name, repetition_type, num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: "OPTIONAL", ...leaf },
  ];
}

/** The elements with field IDs: of the column and, for an array, of its elements. */
export function withFieldIds(
  elements: readonly SchemaElement[],
  [id, elementId]: readonly number[] = [],
): SchemaElement[] {
  return elements.map((element, i) => {
    const own = i === 0 ? id : i === elements.length - 1 ? elementId : undefined;
    return own === undefined ? element : { ...element, field_id: own };
  });
}

/** Names from the root to the column's leaf. */
export function pathOf({ name, array }: ParquetColumn): string[] {
  return array ? [name, "list", "element"] : [name];
}

/**
 * Integers have no logical type: hyparquet-writer writes the bit width as 32 bits instead of 8, and DuckDB rejects the file. INT128
 * exceeds 38 digits, so it is stored as 16 bytes without a logical type.
 */
const LEAVES: Readonly<Record<DataType, Leaf>> = /* @__PURE__ */ Object.freeze({
  INT8: { type: "INT32", converted_type: "INT_8" },
  INT16: { type: "INT32", converted_type: "INT_16" },
  INT32: { type: "INT32" },
  INT64: { type: "INT64" },
  UINT8: { type: "INT32", converted_type: "UINT_8" },
  UINT16: { type: "INT32", converted_type: "UINT_16" },
  UINT32: { type: "INT32", converted_type: "UINT_32" },
  UINT64: { type: "INT64", converted_type: "UINT_64" },
  FLOAT: { type: "FLOAT" },
  DOUBLE: { type: "DOUBLE" },
  BOOL: { type: "BOOLEAN" },
  IS_DELETED: { type: "BOOLEAN" },
  STRING: { type: "BYTE_ARRAY" },
  VARCHAR: { type: "BYTE_ARRAY" },
  BINARY: { type: "BYTE_ARRAY" },
  DATE: { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } },
  UNIXTIME_MICROS: {
    type: "INT64",
    converted_type: "TIMESTAMP_MICROS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
  },
  DECIMAL32: { type: "INT32" },
  DECIMAL64: { type: "INT64" },
  DECIMAL128: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 },
  INT128: { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 },
});
const TEXT: Leaf = { converted_type: "UTF8", logical_type: { type: "STRING" } };

function leafOf({ type, ...digits }: ParquetColumn, isText: boolean): Leaf {
  const leaf = LEAVES[type];
  if (type === "DECIMAL32" || type === "DECIMAL64" || type === "DECIMAL128") {
    const { precision = DECIMAL_DIGITS[type], scale = 0 } = digits;
    const logical_type = { type: "DECIMAL", precision, scale } as const;
    return { ...leaf, converted_type: "DECIMAL", precision, scale, logical_type };
  }
  return isText && (type === "STRING" || type === "VARCHAR") ? { ...leaf, ...TEXT } : leaf;
}
