/**
 * A stream of batches that is merged with others by key, and where it stands. One whose smallest key is known is not begun before its
 * turn comes: of row sets that overlap little, few are read at a time.
 */
import type { ColumnBatch } from "@cfile/encodings";
import { type TableBatch, takeRows } from "@cfile/encodings/batches";
import { compareKeys, encodeRowKeys, type RowKeys } from "../keys/row-keys.js";

const NO_KEYS: RowKeys = { length: 0, offsets: new Int32Array(1), data: new Uint8Array(0) };

export class MergeInput<B extends TableBatch> {
  batch: B | undefined;
  index = 0;
  private readonly batches: AsyncGenerator<B, void, void>;
  private readonly keyPlaces: readonly number[];
  /** Keys of the first and the last row: those of the others are only made when they are needed. */
  private ends: RowKeys = NO_KEYS;
  private all: RowKeys | undefined;
  private state: "waiting" | "read" | "ended";

  /** @param least no key is before it; without it, the stream is begun at once */
  constructor(batches: AsyncGenerator<B, void, void>, keyPlaces: readonly number[], least?: Uint8Array) {
    this.batches = batches;
    this.keyPlaces = keyPlaces;
    this.state = least === undefined ? "read" : "waiting";
    if (least !== undefined) {
      this.ends = { length: 1, offsets: Int32Array.of(0, least.length), data: least };
    }
  }

  /** Goes to the next batch. */
  async load(): Promise<void> {
    const next = await this.batches.next();
    this.state = next.done === true ? "ended" : "read";
    this.batch = next.done === true ? undefined : next.value;
    this.index = 0;
    this.all = undefined;
    if (this.batch !== undefined) {
      const ends = Uint32Array.of(0, this.batch.length - 1);
      this.ends = encodeRowKeys(this.keyColumns().map((column) => takeRows(column, ends)));
    }
  }

  /** Whether nothing was read yet, and only the smallest key is known. */
  get isWaiting(): boolean {
    return this.state === "waiting";
  }

  /** Whether the next batch is asked for before anything else is. */
  get isUsedUp(): boolean {
    return this.state === "read" && this.index >= (this.batch?.length ?? 0);
  }

  get isAtEnd(): boolean {
    return this.state === "ended";
  }

  /** Order of the keys at which both stand. */
  compare(other: MergeInput<B>): number {
    return this.compareRow(this.index, other);
  }

  /** Goes on over the rows whose keys are before that at which `other` stands, in steps that double as long as they are. */
  skipBefore(other: MergeInput<B> | undefined, most: number): void {
    const end = Math.min((this.batch as B).length, this.index + most);
    if (other === undefined || this.compareRow(end - 1, other) < 0) {
      this.index = end;
      return;
    }
    let known = this.index;
    let step = 1;
    let least = end - 1;
    while (known + step < least) {
      if (this.compareRow(known + step, other) >= 0) {
        least = known + step;
        break;
      }
      known += step;
      step *= 2;
    }
    while (known + 1 < least) {
      const middle = (known + least) >> 1;
      if (this.compareRow(middle, other) < 0) {
        known = middle;
      } else {
        least = middle;
      }
    }
    this.index = known + 1;
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
    return this.keyPlaces.map((place) => this.batch?.columns[place] as ColumnBatch);
  }
}

/** The inputs with the smallest and the second smallest key. */
export interface Leading<B extends TableBatch> {
  readonly first: MergeInput<B> | undefined;
  readonly second: MergeInput<B> | undefined;
}

/** Reads what must be read to know which inputs lead. */
export async function leading<B extends TableBatch>(inputs: readonly MergeInput<B>[]): Promise<Leading<B>> {
  for (;;) {
    const found = leadingNow(inputs);
    if (!(found instanceof MergeInput)) {
      return found;
    }
    await found.load();
  }
}

/** The inputs that lead, or one of which a batch is needed to know. */
export function leadingNow<B extends TableBatch>(
  inputs: readonly MergeInput<B>[],
): Leading<B> | MergeInput<B> {
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

/** Of equal keys, one that waits comes first: its rows may be those of the other. */
function isBefore<B extends TableBatch>(left: MergeInput<B>, right: MergeInput<B>): boolean {
  const order = left.compare(right);
  return order < 0 || (order === 0 && left.isWaiting && !right.isWaiting);
}
