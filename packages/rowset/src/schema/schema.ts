/**
 * The schema of a row set: columns by their persistent ids, key columns first.
 */
import type { CompressionType } from "@cfile/compression";
import type { CellValue, DataType, EncodingType } from "@cfile/encodings";

/** A column of a table. */
export interface RowSetColumn {
  /** The number that the column keeps when others come and go; not its position. */
  readonly id: number;
  readonly name: string;
  readonly type: DataType;
  readonly nullable: boolean;
  /** Whether cells are arrays of `type`. */
  readonly array: boolean;
  /** Whether the column is part of the primary key; key columns stand first, are never null and no arrays. */
  readonly isKey: boolean;
  /** Default `AUTO_ENCODING`. */
  readonly encoding?: EncodingType | undefined;
  /** Default no compression, as Kudu's. */
  readonly compression?: CompressionType | undefined;
  /** In bytes; default Kudu's 262144. */
  readonly blockSize?: number | undefined;
  /** What rows have that were written before the column was there. Default: null, or an error where that may not be. */
  readonly readDefault?: CellValue | undefined;
  /** Decimals. */
  readonly precision?: number | undefined;
  readonly scale?: number | undefined;
  /** VARCHAR: most characters. */
  readonly length?: number | undefined;
}

/** The columns of a table: key columns first, in the order of the key. */
export interface RowSetSchema {
  readonly columns: readonly RowSetColumn[];
}
