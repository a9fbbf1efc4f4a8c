/**
 * The digest of a table, equal for tables with the same rows, regardless of their order, files and encodings. For each partition it
 * is the number of rows, the sum of their hashes and, for each column, the sum of the hashes of its cells.
 */
import type { TableBatch } from "@cfile/encodings/batches";
import { BatchWords } from "./batch-words.js";
import { sumCells } from "./cell-sums.js";

/** Rows and columns of a partition. */
export interface PartitionDigest {
  readonly name: string;
  rows: number;
  /** A low and a high word per column, and for rows. */
  readonly sums: Int32Array;
}

export class TableDigest {
  readonly partitions: PartitionDigest[] = [];
  private readonly columns: number;
  private readonly words: BatchWords;

  constructor(names: readonly string[], keyNames: readonly string[]) {
    this.columns = names.length;
    this.words = new BatchWords(names, keyNames);
  }

  get rows(): number {
    return this.partitions.reduce((sum, { rows }) => sum + rows, 0);
  }

  startPartition(name: string): PartitionDigest {
    const partition = { name, rows: 0, sums: new Int32Array(2 * this.columns + 2) };
    this.partitions.push(partition);
    return partition;
  }

  /** Adds rows to a partition. @throws {CFileError} as {@link BatchWords.of} */
  add(partition: PartitionDigest, batch: TableBatch): void {
    partition.rows += batch.length;
    sumCells(this.words.of(batch), batch.length, partition.sums);
  }

  /** The digests of all columns, and of whole rows, over all partitions. */
  get digests(): string[] {
    const total = new Int32Array(2 * this.columns + 2);
    for (const { sums } of this.partitions) {
      for (const [i, sum] of sums.entries()) {
        total[i] = (total[i] ?? 0) + sum;
      }
    }
    return digestTexts(total);
  }
}

/** Digests of 16 hexadecimal digits. */
export function digestTexts(sums: Int32Array): string[] {
  const text = (word = 0): string => (word >>> 0).toString(16).padStart(8, "0");
  return Array.from({ length: sums.length >> 1 }, (_, i) => text(sums[2 * i + 1]) + text(sums[2 * i]));
}
