/** The leaves of a Parquet schema that can be read as columns of a CFile. */
import type { TableColumn } from "@cfile/format";
import type { LeafKind } from "./leaf-kind.js";
import type { Leaf } from "./leaf-schema.js";

/** A column of a Parquet file, with its CFile type. */
export type ParquetColumn = TableColumn;

/** A leaf that a CFile can store. */
export interface ReadableLeaf {
  readonly leaf: Leaf;
  readonly kind: LeafKind;
}
