/**
 * The cells of a data block, as positions in the block's bytes: without copying, and without an object per cell.
 *
 * | size | field of a cell (docs/spec/hfile.md#5-data-block-body) |
 * | --- | --- |
 * | 4, 4 | key length, value length |
 * | 2, R | row length, row |
 * | 1, F | family length, family |
 * | rest | qualifier |
 * | 8, 1 | timestamp, type |
 * | V | value |
 * | 2, n | tags length, tags; in files with tags only |
 * | 1 … 9 | MVCC number as VLong; in files with such numbers only |
 */
import { vlongAt } from "./hadoop-vlong.js";

/** What follows the value of every cell, according to the file info. */
export interface CellLayout {
  readonly tags: boolean;
  /** Whether encoded blocks have a dictionary of tags. Default `false`. */
  readonly tagsCompressed?: boolean | undefined;
  readonly mvcc: boolean;
}

/** Timestamp and type at the end of a key. */
export const TIMESTAMP_AND_TYPE = 9;

/** Bytes from the start of a cell's lengths to its row. */
const ROW_AT = 10;

/** The other positions of cells, which follow from the starts of their rows. */
interface CellEnds {
  readonly rowEnds: Int32Array;
  readonly valueStarts: Int32Array;
  readonly valueEnds: Int32Array;
}

/** Consecutive cells. The positions index `data`. */
export class CellBatch {
  /** Number of cells. */
  readonly length: number;
  readonly data: Uint8Array;
  readonly layout: CellLayout;
  /** Where the rows start. Their lengths, and those of keys and values, precede them. */
  readonly rowStarts: Int32Array;
  /** @internal All of `data`. */
  readonly view: DataView;
  private ends: CellEnds | undefined;

  /** @internal Comes from {@link parseCells}, which has checked the lengths. */
  constructor(data: Uint8Array, layout: CellLayout, rowStarts: Int32Array, view: DataView) {
    this.length = rowStarts.length;
    this.data = data;
    this.layout = layout;
    this.rowStarts = rowStarts;
    this.view = view;
  }

  /** Bytes of memory, for caches. */
  get memory(): number {
    return this.data.length + (this.ends === undefined ? 4 : 16) * this.length;
  }

  get rowEnds(): Int32Array {
    return this.allEnds().rowEnds;
  }

  /** A value follows its key, so these are also the ends of the keys. */
  get valueStarts(): Int32Array {
    return this.allEnds().valueStarts;
  }

  get valueEnds(): Int32Array {
    return this.allEnds().valueEnds;
  }

  /** Where the row of cell `index` ends. */
  rowEnd(index: number): number {
    const start = this.rowStarts[index] as number;
    return start + this.view.getUint16(start - 2);
  }

  /** Where the value of cell `index` starts and its key ends. */
  valueStart(index: number): number {
    const start = this.rowStarts[index] as number;
    return start - 2 + this.view.getInt32(start - ROW_AT);
  }

  /** Where the value of cell `index` ends. */
  valueEnd(index: number): number {
    const start = this.rowStarts[index] as number;
    return this.valueStart(index) + this.view.getInt32(start - ROW_AT + 4);
  }

  /** The row of cell `index`: a view, valid as long as the batch. */
  row(index: number): Uint8Array {
    return this.data.subarray(this.rowStarts[index], this.rowEnd(index));
  }

  /** The value of cell `index`: a view, valid as long as the batch. */
  value(index: number): Uint8Array {
    return this.data.subarray(this.valueStart(index), this.valueEnd(index));
  }

  /** Cell `index`; a view, not a copy. */
  cell(index: number): HFileCell {
    return new HFileCell(this, index);
  }

  /** Cells `from` to `to`, which share memory with these. */
  slice(from: number, to: number): CellBatch {
    if (from === 0 && to === this.length) {
      return this;
    }
    return new CellBatch(this.data, this.layout, this.rowStarts.subarray(from, to), this.view);
  }

  /** All rows in one array: row `i` is `data[offsets[i]..offsets[i + 1])`. */
  packRows(): PackedBytes {
    return pack(this.data, this.rowStarts, this.rowEnds);
  }

  /** All values in one array. */
  packValues(): PackedBytes {
    return pack(this.data, this.valueStarts, this.valueEnds);
  }

  private allEnds(): CellEnds {
    this.ends ??= endsOf(this);
    return this.ends;
  }
}

function endsOf(batch: CellBatch): CellEnds {
  const { length } = batch;
  const ends = {
    rowEnds: new Int32Array(length),
    valueStarts: new Int32Array(length),
    valueEnds: new Int32Array(length),
  };
  for (let i = 0; i < length; i++) {
    ends.rowEnds[i] = batch.rowEnd(i);
    ends.valueStarts[i] = batch.valueStart(i);
    ends.valueEnds[i] = batch.valueEnd(i);
  }
  return ends;
}

/** Byte strings in one array; `offsets` has one entry more than there are strings. */
export interface PackedBytes {
  readonly offsets: Uint32Array;
  readonly data: Uint8Array;
}

function pack(from: Uint8Array, starts: Int32Array, ends: Int32Array): PackedBytes {
  const offsets = new Uint32Array(starts.length + 1);
  let length = 0;
  for (let i = 0; i < starts.length; i++) {
    length += (ends[i] as number) - (starts[i] as number);
    offsets[i + 1] = length;
  }
  const data = new Uint8Array(length);
  for (let i = 0; i < starts.length; i++) {
    copyRange(from, starts[i] as number, ends[i] as number, data, offsets[i] as number);
  }
  return { offsets, data };
}

/** Shorter copies are faster in a loop than with `TypedArray.set`. */
const SHORT = 32;

/** Copies `from[start..end)` to `to[at..]`. */
export function copyRange(from: Uint8Array, start: number, end: number, to: Uint8Array, at: number): void {
  if (end - start > SHORT) {
    to.set(from.subarray(start, end), at);
    return;
  }
  for (let i = start, j = at; i < end; i++, j++) {
    to[j] = from[i] as number;
  }
}

/** Names of the types of cells, by code. */
export const CELL_TYPES: Readonly<Record<number, string>> = /* @__PURE__ */ Object.freeze({
  0: "Minimum",
  4: "Put",
  8: "Delete",
  10: "DeleteFamilyVersion",
  12: "DeleteColumn",
  14: "DeleteFamily",
  255: "Maximum",
});

/** One cell. Its bytes are views into its block. */
export class HFileCell {
  private readonly batch: CellBatch;
  private readonly index: number;

  constructor(batch: CellBatch, index: number) {
    this.batch = batch;
    this.index = index;
  }

  /** Hudi's key. */
  get row(): Uint8Array {
    return this.batch.row(this.index);
  }

  get value(): Uint8Array {
    return this.batch.value(this.index);
  }

  /** The row as UTF-8 text; invalid bytes become U+FFFD. */
  get rowText(): string {
    return new TextDecoder().decode(this.row);
  }

  /** The value as UTF-8 text. */
  get valueText(): string {
    return new TextDecoder().decode(this.value);
  }

  /** The whole key: row length, row, family length, family, qualifier, timestamp, type. */
  get key(): Uint8Array {
    return this.batch.data.subarray(this.rowStart - 2, this.keyEnd);
  }

  get family(): Uint8Array {
    const { data } = this.batch;
    const start = this.familyStart;
    return data.subarray(start, start + (data[start - 1] as number));
  }

  get qualifier(): Uint8Array {
    const { data } = this.batch;
    const start = this.familyStart;
    return data.subarray(start + (data[start - 1] as number), this.keyEnd - TIMESTAMP_AND_TYPE);
  }

  /** Milliseconds in HBase; 2^63 - 1 in files of Hudi. */
  get timestamp(): bigint {
    const { data } = this.batch;
    return new DataView(data.buffer, data.byteOffset + this.keyEnd - TIMESTAMP_AND_TYPE, 8).getBigInt64(0);
  }

  /** Code of the type, see {@link CELL_TYPES}. */
  get type(): number {
    return this.batch.data[this.keyEnd - 1] as number;
  }

  /** Empty in files without tags. */
  get tags(): Uint8Array {
    const { data, layout } = this.batch;
    const start = this.valueEnd + 2;
    return layout.tags ? data.subarray(start, start + this.tagsLength) : data.subarray(0, 0);
  }

  /** 0 in files without MVCC numbers. */
  get mvcc(): bigint {
    const { data, layout } = this.batch;
    return layout.mvcc ? vlongAt(data, this.valueEnd + (layout.tags ? 2 + this.tagsLength : 0)) : 0n;
  }

  private get rowStart(): number {
    return this.batch.rowStarts[this.index] as number;
  }

  private get familyStart(): number {
    return this.batch.rowEnd(this.index) + 1;
  }

  private get keyEnd(): number {
    return this.batch.valueStart(this.index);
  }

  private get valueEnd(): number {
    return this.batch.valueEnd(this.index);
  }

  private get tagsLength(): number {
    const { data } = this.batch;
    return ((data[this.valueEnd] as number) << 8) | (data[this.valueEnd + 1] as number);
  }
}
