/** Schema elements of columns (docs/spec/parquet.md#12-mapping-between-cfile-and-parquet). */
import type { DataType } from "@cfile/encodings";
import type { SchemaElement } from "hyparquet";
import type { ParquetColumn } from "../read/parquet-file.js";

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

/** Names from the root to the column's leaf. */
export function pathOf({ name, array }: ParquetColumn): string[] {
  return array ? [name, "list", "element"] : [name];
}

function integer(bitWidth: 8 | 16 | 32 | 64, isSigned: boolean): Leaf {
  // Without a logical type: hyparquet-writer gives its bit width 32 bits where thrift has 8, and DuckDB refuses the file.
  return {
    type: bitWidth === 64 ? "INT64" : "INT32",
    converted_type: `${isSigned ? "" : "U"}INT_${bitWidth}`,
  };
}

function decimal(most: number, leaf: Leaf, { precision = most, scale = 0 }: ParquetColumn): Leaf {
  return {
    ...leaf,
    converted_type: "DECIMAL",
    precision,
    scale,
    logical_type: { type: "DECIMAL", precision, scale },
  };
}

const TEXT: Leaf = { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } };
const WIDE: Leaf = { type: "FIXED_LEN_BYTE_ARRAY", type_length: 16 };

function leafOf(column: ParquetColumn, isText: boolean): Leaf {
  const type: DataType = column.type;
  switch (type) {
    case "INT8":
      return integer(8, true);
    case "INT16":
      return integer(16, true);
    case "INT32":
      return { type: "INT32" };
    case "INT64":
      return { type: "INT64" };
    case "UINT8":
      return integer(8, false);
    case "UINT16":
      return integer(16, false);
    case "UINT32":
      return integer(32, false);
    case "UINT64":
      return integer(64, false);
    case "FLOAT":
      return { type: "FLOAT" };
    case "DOUBLE":
      return { type: "DOUBLE" };
    case "BOOL":
    case "IS_DELETED":
      return { type: "BOOLEAN" };
    case "STRING":
    case "VARCHAR":
      return isText ? TEXT : { type: "BYTE_ARRAY" };
    case "BINARY":
      return { type: "BYTE_ARRAY" };
    case "DATE":
      return { type: "INT32", converted_type: "DATE", logical_type: { type: "DATE" } };
    case "UNIXTIME_MICROS":
      return {
        type: "INT64",
        converted_type: "TIMESTAMP_MICROS",
        logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MICROS" },
      };
    case "DECIMAL32":
      return decimal(9, { type: "INT32" }, column);
    case "DECIMAL64":
      return decimal(18, { type: "INT64" }, column);
    case "DECIMAL128":
      return decimal(38, WIDE, column);
    case "INT128":
      // Not every value has 38 digits at most: bytes without a meaning are exact.
      return WIDE;
  }
}
