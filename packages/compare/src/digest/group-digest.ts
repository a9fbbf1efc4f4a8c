/**
 * Digests of groups of rows, which locate a difference: only rows of groups that differ are read again. A group has the rows whose key hash
 * ends in the group's number; its digest is the number of rows and the sum of their hashes.
 */
import type { TableBatch } from "@cfile/encodings/batches";
import type { RowHasher } from "./row-hasher.js";

export const GROUPS = 4096;

export class GroupDigest {
  readonly rows = new Float64Array(GROUPS);
  private readonly low = new Int32Array(GROUPS);
  private readonly high = new Int32Array(GROUPS);

  add(batch: TableBatch, hasher: RowHasher): void {
    const { length, keyLow, rowLow, rowHigh } = hasher.hash(batch);
    const { rows, low, high } = this;
    for (let i = 0; i < length; i++) {
      const group = (keyLow[i] as number) & (GROUPS - 1);
      rows[group] = (rows[group] as number) + 1;
      low[group] = (low[group] as number) + (rowLow[i] as number);
      high[group] = (high[group] as number) + (rowHigh[i] as number);
    }
  }

  /** The numbers of the groups that differ, ascending. */
  differing(other: GroupDigest): number[] {
    return Array.from({ length: GROUPS }, (_, group) => group).filter(
      (group) =>
        this.rows[group] !== other.rows[group] ||
        this.low[group] !== other.low[group] ||
        this.high[group] !== other.high[group],
    );
  }
}
