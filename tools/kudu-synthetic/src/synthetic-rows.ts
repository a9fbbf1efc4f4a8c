import type { ColumnBatch } from "@cfile/encodings";

/** A change that sets the same bytes in all of its rows. */
export interface SyntheticUpdate {
  /** Row numbers, ascending. */
  readonly rows: Iterable<number>;
  readonly timestamp: bigint;
  /** Output of `MutationBuilder`. */
  readonly mutations: Uint8Array;
}

export interface SyntheticRows {
  /** One batch per column, in key order. */
  readonly batches: Iterable<readonly ColumnBatch[]>;
  /** Insertion time of the rows. */
  readonly insertedAt: bigint;
  /** One REDO file each. */
  readonly updates?: readonly SyntheticUpdate[] | undefined;
}
