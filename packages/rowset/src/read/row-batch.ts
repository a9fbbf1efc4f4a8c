/** Rows that changed, and single rows. */
import type { CellValue } from "@cfile/encodings";
import type { TableBatch } from "@cfile/encodings/batches";

/** Rows that changed between two timestamps, as they are at the later one. */
export interface DiffBatch extends TableBatch {
  /** 1 for rows that are deleted, whose cells are the last ones; 0 for others. */
  readonly deleted: Uint8Array;
  /** When each row changed last, between the two timestamps. */
  readonly changedAt: BigUint64Array;
}

/** One row. */
export interface RowCells {
  /** The row's number in its row set. */
  readonly row: number;
  readonly names: readonly string[];
  readonly cells: readonly CellValue[];
}
