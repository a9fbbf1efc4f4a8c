/** The leaves of a Parquet schema that are columns here. */
import type { TableColumn } from "@cfile/format";
import type { LeafKind } from "./leaf-kind.js";
import type { Leaf } from "./leaf-schema.js";

/** A column of a Parquet file, with its CFile type. */
export type ParquetColumn = TableColumn;

/** A leaf that a CFile can have. */
export interface ReadableLeaf {
  readonly leaf: Leaf;
  readonly kind: LeafKind;
}
