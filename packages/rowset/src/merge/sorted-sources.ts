/**
 * Merges sources that are each sorted by key: a heap with the minimum key on top; sources with equal keys are ordered by number.
 * Rows for the next batch are first chosen, as positions in all batches in memory, and then copied together column by column.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { takeRows } from "@cfile/encodings/batches";
import { compareKeys, type RowKeys } from "../keys/row-keys.js";
import { joinBatches } from "../read/base-column.js";

/** A batch of a source. */
export interface SortedBatch {
  readonly columns: readonly ColumnBatch[];
  readonly keys: RowKeys;
}

/** A row of a batch in memory. */
export interface SortedRow<B extends SortedBatch> {
  readonly batch: B;
  readonly row: number;
}

interface HeapEntry<B extends SortedBatch> {
  readonly source: number;
  readonly batch: B;
  row: number;
}

export class SortedSources<B extends SortedBatch> {
  private readonly next: (source: number) => Promise<B | undefined>;
  private readonly heap: HeapEntry<B>[] = [];
  /** Batches to choose rows from, and the position of the first row of each among all of their rows. */
  private readonly starts = new Map<B, number>();
  private heldRows = 0;
  private readonly chosen: Uint32Array;
  private chosenCount = 0;

  /**
   * @param next reads the next batch of a source, which has at least one row; `undefined` at its end
   * @param maxChosen maximum number of rows chosen between two calls of `take`
   */
  constructor(next: (source: number) => Promise<B | undefined>, maxChosen: number) {
    this.next = next;
    this.chosen = new Uint32Array(maxChosen);
  }

  /** Loads the first or next batch of a source. */
  async load(source: number): Promise<void> {
    const batch = await this.next(source);
    if (batch !== undefined) {
      this.hold(batch);
      this.heap.push({ source, batch, row: 0 });
      this.rise();
    }
  }

  get isAtEnd(): boolean {
    return this.heap.length === 0;
  }

  /** The row with the minimum key; there must be one. */
  minimum(): SortedRow<B> {
    const { batch, row } = this.heap[0] as HeapEntry<B>;
    return { batch, row };
  }

  /** Whether the minimum key equals that of the given row. */
  isSame({ batch: { keys }, row }: SortedRow<B>): boolean {
    const top = this.heap[0];
    return top !== undefined && compareKeys(top.batch.keys, top.row, keys, row) === 0;
  }

  /** Moves past the row with the minimum key. Returns a promise only when the next batch must be read. */
  advance(): Promise<void> | undefined {
    const entry = this.heap[0] as HeapEntry<B>;
    if (entry.row + 1 < entry.batch.keys.length) {
      entry.row++;
      this.sink(entry);
      return undefined;
    }
    const last = this.heap.pop();
    if (last !== undefined && this.heap.length > 0) {
      this.sink(last);
    }
    return this.load(entry.source);
  }

  choose({ batch, row }: SortedRow<B>): void {
    this.chosen[this.chosenCount++] = (this.starts.get(batch) ?? 0) + row;
  }

  get chosenRows(): number {
    return this.chosenCount;
  }

  get isFull(): boolean {
    return this.chosenCount === this.chosen.length;
  }

  /** Returns the chosen rows of the first `columns` columns. Releases batches that were read to their end. */
  take(columns: number): readonly ColumnBatch[] {
    const positions = this.chosen.subarray(0, this.chosenCount);
    const batches = [...this.starts.keys()];
    const taken = Array.from({ length: columns }, (_, i) =>
      takeRows(joinBatches(batches.flatMap((batch) => batch.columns[i] ?? [])), positions),
    );
    this.starts.clear();
    this.heldRows = 0;
    this.chosenCount = 0;
    for (const { batch } of this.heap) {
      this.hold(batch);
    }
    return taken;
  }

  private hold(batch: B): void {
    this.starts.set(batch, this.heldRows);
    this.heldRows += batch.keys.length;
  }

  private rise(): void {
    const { heap } = this;
    let at = heap.length - 1;
    const entry = heap[at] as HeapEntry<B>;
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!isBefore(entry, heap[parent] as HeapEntry<B>)) {
        break;
      }
      heap[at] = heap[parent] as HeapEntry<B>;
      at = parent;
    }
    heap[at] = entry;
  }

  /** Replaces the top with `entry` and restores the order. */
  private sink(entry: HeapEntry<B>): void {
    const { heap } = this;
    let at = 0;
    for (let child = 1; child < heap.length; child = 2 * at + 1) {
      const left = heap[child] as HeapEntry<B>;
      const right = heap[child + 1];
      const smaller = right !== undefined && isBefore(right, left) ? right : left;
      if (!isBefore(smaller, entry)) {
        break;
      }
      heap[at] = smaller;
      at = smaller === left ? child : child + 1;
    }
    heap[at] = entry;
  }
}

function isBefore<B extends SortedBatch>(left: HeapEntry<B>, right: HeapEntry<B>): boolean {
  const order = compareKeys(left.batch.keys, left.row, right.batch.keys, right.row);
  return order < 0 || (order === 0 && left.source < right.source);
}
