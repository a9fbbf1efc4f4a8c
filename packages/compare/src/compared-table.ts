/** Tables that can be compared, and which of their columns have comparable types. */
import type { DataType } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";

/** A column of a table to compare. */
export interface ComparedColumn {
  readonly name: string;
  readonly type: DataType;
  /** Whether cells are arrays of `type`. */
  readonly array?: boolean;
  /** Decimals: digits after the point. Default 0. */
  readonly scale?: number | undefined;
}

/** Some of a table's rows, such as those of a tablet or file. */
export interface ComparedPartition {
  readonly name: string;
  /** Reads the rows. Called once or, if the tables differ, up to four times. */
  rows(signal: AbortSignal | undefined): AsyncIterable<TableBatch>;
}

/** A table whose rows can be read several times. */
export interface ComparedTable {
  readonly columns: readonly ComparedColumn[];
  /** Columns of the primary key, if it is known. */
  readonly keyNames?: readonly string[] | undefined;
  readonly partitions: readonly ComparedPartition[];
}

/** Types whose cells have the same words for the same value. */
const KINDS: Readonly<Partial<Record<DataType, string>>> = {
  UINT8: "integer",
  INT8: "integer",
  UINT16: "integer",
  INT16: "integer",
  UINT32: "integer",
  INT32: "integer",
  INT64: "integer",
  DECIMAL32: "decimal",
  DECIMAL64: "decimal",
  DECIMAL128: "decimal",
  STRING: "bytes",
  VARCHAR: "bytes",
  BINARY: "bytes",
};

/** What two columns must share for their values to be comparable: integers and decimals of any width, strings and bytes. */
export function kindOf({ type, array = false, scale = 0 }: ComparedColumn): string {
  const kind = KINDS[type] ?? type;
  return `${array ? "array of " : ""}${kind}${kind === "decimal" ? `, scale ${scale}` : ""}`;
}
