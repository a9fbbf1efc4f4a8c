/**
 * A stream of batches that is merged with others by key, and the current position in it. A stream is started only when its minimum
 * key is next: if row sets overlap little, few are read at a time.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { type TableBatch, takeRows } from "@cfile/encodings/batches";
import { compareKeys, encodeRowKeys, type RowKeys } from "../keys/row-keys.js";

export class MergeInput<B extends TableBatch> {
  batch: B | undefined;
  index = 0;
  private readonly batches: AsyncGenerator<B, void, void>;
  private readonly keyPositions: readonly number[];
  /** Keys of the first and the last row; before the stream is started, a lower bound of its keys. */
  private ends: RowKeys;
  /** All keys of the batch, encoded lazily. */
  private all: RowKeys | undefined;
  private state: "waiting" | "reading" | "ended" = "waiting";

  constructor(
    { batches, minKey }: { readonly batches: AsyncGenerator<B, void, void>; readonly minKey: Uint8Array },
    keyPositions: readonly number[],
  ) {
    this.batches = batches;
    this.keyPositions = keyPositions;
    this.ends = { length: 1, offsets: Int32Array.of(0, minKey.length), data: minKey };
  }

  /** Reads the next batch. */
  async load(): Promise<void> {
    const next = await this.batches.next();
    this.state = next.done === true ? "ended" : "reading";
    this.batch = next.done === true ? undefined : next.value;
    this.index = 0;
    this.all = undefined;
    if (this.batch !== undefined) {
      const ends = Uint32Array.of(0, this.batch.length - 1);
      this.ends = encodeRowKeys(this.keyColumns().map((column) => takeRows(column, ends)));
    }
  }

  /** Whether nothing has been read yet, and only a lower bound of the keys is known. */
  get isWaiting(): boolean {
    return this.state === "waiting";
  }

  get isReading(): boolean {
    return this.state === "reading";
  }

  get isAtEnd(): boolean {
    return this.state === "ended";
  }

  /** Whether the next batch must be read first. */
  get isUsedUp(): boolean {
    return this.state === "reading" && this.index >= (this.batch?.length ?? 0);
  }

  /** Compares the current keys of both inputs. */
  compare(other: MergeInput<B>): number {
    return this.compareRow(this.index, other);
  }

  /** Skips at most `maximum` rows with keys before the current key of `other`: galloping, then binary search. */
  skipBefore(other: MergeInput<B> | undefined, maximum: number): void {
    const end = Math.min((this.batch as B).length, this.index + maximum);
    if (other === undefined || this.compareRow(end - 1, other) < 0) {
      this.index = end;
      return;
    }
    let before = this.index;
    let after = end - 1;
    for (let step = 1; before + step < after; step *= 2) {
      if (this.compareRow(before + step, other) >= 0) {
        after = before + step;
        break;
      }
      before += step;
    }
    while (before + 1 < after) {
      const middle = (before + after) >> 1;
      if (this.compareRow(middle, other) < 0) {
        before = middle;
      } else {
        after = middle;
      }
    }
    this.index = before + 1;
  }

  async close(): Promise<void> {
    await this.batches.return();
  }

  private compareRow(row: number, other: MergeInput<B>): number {
    const [keys, at] = this.keyOf(row);
    const [otherKeys, otherAt] = other.keyOf(other.index);
    return compareKeys(keys, at, otherKeys, otherAt);
  }

  private keyOf(row: number): readonly [RowKeys, number] {
    const last = (this.batch?.length ?? 1) - 1;
    if (this.all === undefined && (row === 0 || row === last)) {
      return [this.ends, row === 0 ? 0 : 1];
    }
    this.all ??= encodeRowKeys(this.keyColumns());
    return [this.all, row];
  }

  private keyColumns(): ColumnBatch[] {
    return this.keyPositions.flatMap((position) => this.batch?.columns[position] ?? []);
  }
}

/** The inputs with the smallest and the second smallest key. */
export interface Leading<B extends TableBatch> {
  readonly first: MergeInput<B> | undefined;
  readonly second: MergeInput<B> | undefined;
}

/** The leading inputs, or an input that must be loaded before they are known. */
export function leading<B extends TableBatch>(inputs: readonly MergeInput<B>[]): Leading<B> | MergeInput<B> {
  let first: MergeInput<B> | undefined;
  let second: MergeInput<B> | undefined;
  for (const input of inputs) {
    if (input.isUsedUp) {
      return input;
    }
    if (input.isAtEnd) {
      continue;
    }
    if (first === undefined || isBefore(input, first)) {
      second = first;
      first = input;
    } else if (second === undefined || isBefore(input, second)) {
      second = input;
    }
  }
  return first?.isWaiting ? first : { first, second };
}

/** If keys are equal, a waiting input comes first: one of its rows may have the same key as the other's. */
function isBefore<B extends TableBatch>(left: MergeInput<B>, right: MergeInput<B>): boolean {
  const order = left.compare(right);
  return order < 0 || (order === 0 && left.isWaiting && !right.isWaiting);
}
