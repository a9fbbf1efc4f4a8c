/** The most frequent values, with exact counts. Empty for columns with more than `MAX_VALUES` distinct values. */
import { toHex } from "@cfile/bytes";
import type { InputCell } from "@cfile/encodings";

/** Maximum number of distinct values. */
const MAX_VALUES = 512;
/** Longer values are not counted. */
const MAX_BYTES = 64;

interface Counted {
  readonly value: InputCell;
  count: number;
}

export class FrequentValues {
  private readonly counts = new Map<number | bigint | string, Counted>();
  private hasTooMany = false;

  add(value: number | bigint, times: number): void {
    this.count(value, value, times);
  }

  addBytes(value: Uint8Array, times: number): void {
    if (value.length <= MAX_BYTES && !this.hasTooMany) {
      const key = toHex(value);
      this.count(key, this.counts.get(key)?.value ?? value.slice(), times);
    }
  }

  top(limit: number): readonly { readonly value: InputCell; readonly count: number }[] {
    return [...this.counts.values()].sort((a, b) => b.count - a.count).slice(0, limit);
  }

  private count(key: number | bigint | string, value: InputCell, times: number): void {
    if (this.hasTooMany) {
      return;
    }
    const counted = this.counts.get(key);
    if (counted !== undefined) {
      counted.count += times;
    } else if (this.counts.size < MAX_VALUES) {
      this.counts.set(key, { value, count: times });
    } else {
      this.hasTooMany = true;
      this.counts.clear();
    }
  }
}
