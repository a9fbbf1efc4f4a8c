/** The current position in a part of a replica, whose rows come in key order. */
import type { TableBatch } from "@cfile/encodings/batches";
import { compareKeys, keyAt, type RowKeys } from "@cfile/rowset";
import { type KeyedRows, type KeyedStream, ROW } from "./keyed-rows.js";

export class PartCursor {
  readonly replica: number;
  private readonly stream: KeyedStream;
  private index = 0;
  private current: KeyedRows | undefined;
  /** Rows lost after the last key. */
  trailing = 0;
  /** The gap of the ledger in which the rows before the current key are counted. */
  countedIn = -1;

  constructor(replica: number, stream: KeyedStream) {
    this.replica = replica;
    this.stream = stream;
  }

  /** Moves to the next key; `false` if that must be read first. */
  skip(): boolean {
    this.index++;
    this.countedIn = -1;
    return this.current !== undefined && this.index < lengthOf(this.current);
  }

  /** Reads the next key. */
  async load(): Promise<void> {
    while (this.current === undefined || this.index >= lengthOf(this.current)) {
      const step = await this.stream.next();
      this.index = 0;
      if (step.done === true) {
        this.current = undefined;
        this.trailing = step.value;
        return;
      }
      this.current = step.value;
    }
  }

  get isAtEnd(): boolean {
    return this.current === undefined;
  }

  /** The keys of the batch that has the current key. */
  get keys(): RowKeys {
    return this.rows.keys;
  }

  get keyRow(): number {
    return this.current?.entries?.keys[this.index] ?? this.index;
  }

  get state(): number {
    return this.current?.entries === undefined
      ? ROW.live
      : (this.current.entries.states[this.index] as number);
  }

  /** If the current key is live: the batch with its row. */
  get batch(): TableBatch {
    return this.rows.batch;
  }

  get row(): number {
    return this.current?.entries?.rows[this.index] ?? this.index;
  }

  /** Rows lost directly before the current key, or at the end after the last one. */
  get gap(): number {
    return this.current === undefined ? this.trailing : (this.current.entries?.gaps[this.index] ?? 0);
  }

  get key(): Uint8Array {
    return keyAt(this.keys, this.keyRow);
  }

  isBefore(other: PartCursor): boolean {
    return compareKeys(this.keys, this.keyRow, other.keys, other.keyRow) < 0;
  }

  hasKey(other: PartCursor): boolean {
    return compareKeys(this.keys, this.keyRow, other.keys, other.keyRow) === 0;
  }

  /** The current rows. Must not be used at the end. */
  private get rows(): KeyedRows {
    return this.current as KeyedRows;
  }

  async close(): Promise<void> {
    await this.stream.return(0);
  }
}

function lengthOf({ keys, entries }: KeyedRows): number {
  return entries?.length ?? keys.length;
}
