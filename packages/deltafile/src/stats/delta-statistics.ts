/** Statistics of a delta file (docs/spec/deltafile.md#6-delta-statistics): their counter and comparison. */
import { DELETE, REINSERT } from "../changes/change-type.js";
import { MutationCursor } from "../changes/mutation-cursor.js";
import { highWord, lowWord, wordsOf } from "../changes/timestamp.js";
import type { DeltaBatch } from "../read/delta-batch.js";
import type { DeltaSummary } from "../read/delta-block.js";

/** Statistics in the footer of a delta file, which readers use to skip whole files. */
export interface DeltaStatistics {
  readonly minTimestamp: bigint;
  readonly maxTimestamp: bigint;
  /** DELETE entries. */
  readonly deleteCount: number;
  /** REINSERT entries. */
  readonly reinsertCount: number;
  /** Mutations by column ID, those of REINSERT entries included; in the order of the file. */
  readonly updateCounts: ReadonlyMap<number, number>;
}

/** Counts entries. */
export class DeltaStatisticsCounter {
  /** Number of entries. */
  entries = 0;
  /** Number of DELETEs and REINSERTs. */
  deletes = 0;
  reinserts = 0;
  private readonly updates = new Map<number, number>();
  private readonly cursor = new MutationCursor();
  private minLow = 0xffffffff;
  private minHigh = 0xffffffff;
  private maxLow = 0;
  private maxHigh = 0;

  /**
   * Counts the entry `index` of a batch with the timestamps `words`.
   *
   * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` for invalid mutations
   */
  add({ types, offsets, data }: DeltaBatch, words: Uint32Array, index: number): void {
    this.countMutations(data, offsets[index] as number, offsets[index + 1] as number);
    this.entries++;
    this.deletes += types[index] === DELETE ? 1 : 0;
    this.reinserts += types[index] === REINSERT ? 1 : 0;
    this.takeTimestamp(words[2 * index] as number, words[2 * index + 1] as number);
  }

  /** Counts all entries of a batch. @throws {CFileError} as {@link add} */
  addBatch(batch: DeltaBatch): void {
    const words = wordsOf(batch.timestamps);
    for (let i = 0; i < batch.length; i++) {
      this.add(batch, words, i);
    }
  }

  /** Counts all entries of a batch with a known summary: iterates only over mutations. */
  addSummary({ length, offsets, data }: DeltaBatch, summary: DeltaSummary): void {
    this.countMutations(data, offsets[0] as number, offsets[length] as number);
    this.entries += length;
    this.deletes += summary.deletes;
    this.reinserts += summary.reinserts;
    for (const timestamp of [summary.minTimestamp, summary.maxTimestamp]) {
      this.takeTimestamp(lowWord(timestamp), highWord(timestamp));
    }
  }

  /** The statistics, columns in order of appearance. Without entries the minimum is above the maximum. */
  finish(): DeltaStatistics {
    return {
      minTimestamp: (BigInt(this.minHigh) << 32n) | BigInt(this.minLow),
      maxTimestamp: (BigInt(this.maxHigh) << 32n) | BigInt(this.maxLow),
      deleteCount: this.deletes,
      reinsertCount: this.reinserts,
      updateCounts: new Map(this.updates),
    };
  }

  private countMutations(data: Uint8Array, start: number, end: number): void {
    const { cursor, updates } = this;
    cursor.resetTo(data, start, end);
    while (cursor.next()) {
      updates.set(cursor.columnId, (updates.get(cursor.columnId) ?? 0) + 1);
    }
  }

  private takeTimestamp(low: number, high: number): void {
    if (high < this.minHigh || (high === this.minHigh && low < this.minLow)) {
      this.minHigh = high;
      this.minLow = low;
    }
    if (high > this.maxHigh || (high === this.maxHigh && low > this.maxLow)) {
      this.maxHigh = high;
      this.maxLow = low;
    }
  }
}

/** A difference between two statistics. */
export interface StatisticsDifference {
  /** Kudu's name: `delete_count`, `min_timestamp`, …, `update_count of column 7`. */
  readonly field: string;
  readonly stated: string;
  readonly counted: string;
}

/** The differences between stated and counted statistics; the order of columns does not matter. */
export function compareStatistics(stated: DeltaStatistics, counted: DeltaStatistics): StatisticsDifference[] {
  const rows: [field: string, stated: bigint | number, counted: bigint | number][] = [
    ["min_timestamp", stated.minTimestamp, counted.minTimestamp],
    ["max_timestamp", stated.maxTimestamp, counted.maxTimestamp],
    ["delete_count", stated.deleteCount, counted.deleteCount],
    ["reinsert_count", stated.reinsertCount, counted.reinsertCount],
  ];
  for (const id of new Set([...stated.updateCounts.keys(), ...counted.updateCounts.keys()])) {
    const [left = 0, right = 0] = [stated.updateCounts.get(id), counted.updateCounts.get(id)];
    rows.push([`update_count of column ${id}`, left, right]);
  }
  return rows
    .filter(([, left, right]) => left !== right)
    .map(([field, left, right]) => ({ field, stated: String(left), counted: String(right) }));
}
