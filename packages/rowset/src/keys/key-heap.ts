/** Sources of sorted rows, the one with the least key first; of equal keys, the source with the lower number. */
import { compareKeys, type RowKeys } from "./row-keys.js";

export interface KeyHeapEntry {
  readonly source: number;
  readonly keys: RowKeys;
  row: number;
}

export class KeyHeap {
  private readonly entries: KeyHeapEntry[] = [];

  get length(): number {
    return this.entries.length;
  }

  push(source: number, keys: RowKeys, row: number): void {
    const { entries } = this;
    let at = entries.length;
    const entry = { source, keys, row };
    entries.push(entry);
    while (at > 0) {
      const parent = (at - 1) >>> 1;
      if (!this.isBefore(entry, entries[parent] as KeyHeapEntry)) {
        break;
      }
      entries[at] = entries[parent] as KeyHeapEntry;
      at = parent;
    }
    entries[at] = entry;
  }

  /** The source with the least key; there must be one. */
  least(): KeyHeapEntry {
    const entry = this.entries[0] as KeyHeapEntry;
    return { ...entry };
  }

  /** Whether the least key is this one. */
  isSame(keys: RowKeys, row: number): boolean {
    const least = this.entries[0];
    return least !== undefined && compareKeys(least.keys, least.row, keys, row) === 0;
  }

  /** Goes on to another row of the source with the least key. */
  replaceLeast(row: number): void {
    const entry = this.entries[0] as KeyHeapEntry;
    entry.row = row;
    this.sink(entry);
  }

  /** Removes the source with the least key. */
  pop(): void {
    const last = this.entries.pop();
    if (last !== undefined && this.entries.length > 0) {
      this.sink(last);
    }
  }

  private sink(entry: KeyHeapEntry): void {
    const { entries } = this;
    const { length } = entries;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= length) {
        break;
      }
      if (
        child + 1 < length &&
        this.isBefore(entries[child + 1] as KeyHeapEntry, entries[child] as KeyHeapEntry)
      ) {
        child++;
      }
      if (!this.isBefore(entries[child] as KeyHeapEntry, entry)) {
        break;
      }
      entries[at] = entries[child] as KeyHeapEntry;
      at = child;
    }
    entries[at] = entry;
  }

  private isBefore(left: KeyHeapEntry, right: KeyHeapEntry): boolean {
    const order = compareKeys(left.keys, left.row, right.keys, right.row);
    return order < 0 || (order === 0 && left.source < right.source);
  }
}
