/**
 * Rows of several batches on their way into one: they are chosen first, as positions in all batches that are in memory, and then
 * copied together column by column.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { takeRows } from "@cfile/encodings/batches";
import type { RowKeys } from "../keys/row-keys.js";
import { joinParts } from "../merge/sorted-run.js";

/** A batch that rows are chosen of. */
export interface HeldRows {
  readonly columns: readonly ColumnBatch[];
  readonly keys: RowKeys;
  /** Where its rows stand among all rows that the next batch is chosen of. */
  start: number;
}

/** Rows chosen of batches that are held. */
export class ChosenRows {
  private batches: HeldRows[] = [];
  private rows = 0;
  private readonly positions: Uint32Array;
  private length = 0;

  /** @param most rows that are chosen at a time */
  constructor(most: number) {
    this.positions = new Uint32Array(most);
  }

  /** Takes a batch, of which rows may then be chosen. */
  hold(held: HeldRows): void {
    held.start = this.rows;
    this.rows += held.keys.length;
    this.batches.push(held);
  }

  /** Chooses a row of a batch that is held. */
  choose(held: HeldRows | undefined, row: number): void {
    this.positions[this.length++] = (held?.start ?? 0) + row;
  }

  get isEmpty(): boolean {
    return this.length === 0;
  }

  get isFull(): boolean {
    return this.length === this.positions.length;
  }

  /** The chosen rows, of as many columns. */
  take(columns: number): readonly ColumnBatch[] {
    const positions = this.positions.subarray(0, this.length);
    const taken: ColumnBatch[] = [];
    for (let i = 0; i < columns; i++) {
      const [first, ...rest] = this.batches.flatMap((held) => held.columns.slice(i, i + 1));
      if (first !== undefined) {
        taken.push(takeRows(joinParts([first, ...rest]), positions));
      }
    }
    return taken;
  }

  /** Begins anew, with the batches that are still held. */
  reset(held: Iterable<HeldRows>): void {
    this.batches = [];
    this.rows = 0;
    this.length = 0;
    for (const batch of held) {
      this.hold(batch);
    }
  }
}
