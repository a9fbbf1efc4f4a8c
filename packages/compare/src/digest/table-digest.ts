/**
 * The digest of a table: what two tables with the same rows have in common, whatever their order, files and encodings.
 *
 * | part | content |
 * | --- | --- |
 * | partition | its number of rows, and for each column the sum of the hashes of its cells |
 * | group | the rows whose key hash ends in the group's number: how many, and the sum of their hashes |
 *
 * Groups locate a difference: only rows of groups that differ are read again.
 */
import type { TableBatch } from "@cfile/encodings/batches";
import { type ColumnSums, RowHasher } from "./row-hasher.js";

export const GROUPS = 4096;

/** Rows and columns of a partition. */
export interface PartitionDigest {
  readonly name: string;
  rows: number;
  readonly sums: ColumnSums;
}

export class TableDigest {
  readonly partitions: PartitionDigest[] = [];
  readonly groupRows = new Float64Array(GROUPS);
  readonly groupLow = new Int32Array(GROUPS);
  readonly groupHigh = new Int32Array(GROUPS);
  private readonly columns: number;
  private readonly hasher: RowHasher;

  constructor(names: readonly string[], keyNames: readonly string[]) {
    this.columns = names.length;
    this.hasher = new RowHasher(names, keyNames);
  }

  get rows(): number {
    return this.partitions.reduce((sum, { rows }) => sum + rows, 0);
  }

  startPartition(name: string): void {
    const sums = { low: new Int32Array(this.columns), high: new Int32Array(this.columns) };
    this.partitions.push({ name, rows: 0, sums });
  }

  /** Adds rows to the partition that was started last. */
  add(batch: TableBatch): void {
    const partition = this.partitions.at(-1);
    const { length, keyLow, rowLow, rowHigh } = this.hasher.hash(batch, partition?.sums);
    if (partition !== undefined) {
      partition.rows += length;
    }
    const { groupRows, groupLow, groupHigh } = this;
    for (let i = 0; i < length; i++) {
      const group = (keyLow[i] as number) & (GROUPS - 1);
      groupRows[group] = (groupRows[group] as number) + 1;
      groupLow[group] = (groupLow[group] as number) + (rowLow[i] as number);
      groupHigh[group] = (groupHigh[group] as number) + (rowHigh[i] as number);
    }
  }

  /** The digest of a column over all partitions, hexadecimal. */
  column(index: number): string {
    let [low, high] = [0, 0];
    for (const { sums } of this.partitions) {
      low = (low + (sums.low[index] ?? 0)) | 0;
      high = (high + (sums.high[index] ?? 0)) | 0;
    }
    return digestText(low, high);
  }
}

/** Two words in 16 hexadecimal digits. */
export function digestText(low: number, high: number): string {
  return [high, low].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

/** The numbers of the groups that differ, ascending. */
export function differingGroups(a: TableDigest, b: TableDigest): number[] {
  return Array.from({ length: GROUPS }, (_, group) => group).filter(
    (group) =>
      a.groupRows[group] !== b.groupRows[group] ||
      a.groupLow[group] !== b.groupLow[group] ||
      a.groupHigh[group] !== b.groupHigh[group],
  );
}
