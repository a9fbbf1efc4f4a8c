/** Moves over the cells of one store file, block by block; the fields describe the current cell without an object per cell. */
import { corrupt } from "@cfile/bytes";
import { CellBatch } from "@cfile/hfile";

/** Timestamp and type at the end of a key. */
const TAIL = 9;

/** What a cursor needs to know of its cells. */
export interface CursorOptions {
  /** Rank of the family among those scanned. */
  readonly family: number;
  /** Name of the family, which all cells must have. */
  readonly familyBytes: Uint8Array;
  /** Greater for newer files. */
  readonly age: number;
  /** The sequence ID of all cells; `undefined` for that of each cell. */
  readonly sequenceId: number | undefined;
  /** Path of the file, for errors. */
  readonly path: string;
}

/** Blocks of cells: an iterator over a file, or blocks that are in memory. */
export type CellBlocks = AsyncIterator<CellBatch, void, undefined> | Iterator<CellBatch, void, undefined>;

const NONE = /* @__PURE__ */ new Int32Array(0);
const NO_CELLS = /* @__PURE__ */ new CellBatch(
  /* @__PURE__ */ new Uint8Array(0),
  { tags: false, mvcc: false },
  { rowStarts: NONE, rowEnds: NONE, valueStarts: NONE, valueEnds: NONE },
);

export class StoreCursor {
  readonly family: number;
  readonly age: number;
  batch: CellBatch = NO_CELLS;
  /** The block's bytes. */
  data: Uint8Array = new Uint8Array(0);
  /** The cell in {@link batch}. */
  index = -1;
  rowStart = 0;
  rowEnd = 0;
  qualifierStart = 0;
  qualifierEnd = 0;
  /** Upper half of the timestamp, signed. */
  timestampHigh = 0;
  /** Lower half of the timestamp, unsigned. */
  timestampLow = 0;
  type = 0;
  sequenceId = 0;
  private view = new DataView(this.data.buffer);
  private readonly options: CursorOptions;
  private readonly blocks: CellBlocks;

  constructor(blocks: CellBlocks, options: CursorOptions) {
    this.blocks = blocks;
    this.options = options;
    this.family = options.family;
    this.age = options.age;
  }

  /** Moves to the next cell of the block; `false` at its end. */
  advance(): boolean {
    const index = this.index + 1;
    const { batch, view } = this;
    if (index >= batch.length) {
      return false;
    }
    this.index = index;
    const rowEnd = batch.rowEnds[index] as number;
    const valueStart = batch.valueStarts[index] as number;
    this.rowStart = batch.rowStarts[index] as number;
    this.rowEnd = rowEnd;
    this.qualifierStart = rowEnd + 1 + (this.data[rowEnd] as number);
    this.qualifierEnd = valueStart - TAIL;
    this.timestampHigh = view.getInt32(valueStart - TAIL);
    this.timestampLow = view.getUint32(valueStart - 5);
    this.type = this.data[valueStart - 1] as number;
    this.sequenceId = this.options.sequenceId ?? sequenceIdAt(batch, index);
    return true;
  }

  /** Moves to the first cell of the next block; `false` at the end of the file. @throws {CFileError} for damage */
  async load(): Promise<boolean> {
    const { value } = await this.blocks.next();
    if (value === undefined) {
      this.batch = NO_CELLS;
      this.index = -1;
      return false;
    }
    return this.begin(value);
  }

  /** As {@link load}, for a block that is in memory. */
  begin(batch: CellBatch): boolean {
    this.batch = batch;
    this.data = batch.data;
    this.view = new DataView(batch.data.buffer, batch.data.byteOffset, batch.data.byteLength);
    this.index = -1;
    this.checkFamilies();
    return this.advance();
  }

  /** Releases the file's iterator. */
  async close(): Promise<void> {
    await this.blocks.return?.();
  }

  /** Cells of another family would be returned as cells of this one. */
  private checkFamilies(): void {
    const { data, batch } = this;
    const { familyBytes, path } = this.options;
    const { length } = familyBytes;
    for (let i = 0; i < batch.length; i++) {
      const at = batch.rowEnds[i] as number;
      let isSame = data[at] === length;
      for (let k = 0; k < length && isSame; k++) {
        isSame = data[at + 1 + k] === familyBytes[k];
      }
      if (!isSame) {
        throw corrupt("a cell belongs to a different family", { path, offset: at, field: "family" });
      }
    }
  }
}

/** The MVCC number of a cell; 0 in files without. @throws {CFileError} `E_CORRUPT` above 2^53 */
function sequenceIdAt(batch: CellBatch, index: number): number {
  const { data, layout } = batch;
  if (!layout.mvcc) {
    return 0;
  }
  let at = batch.valueEnds[index] as number;
  if (layout.tags) {
    at += 2 + (((data[at] as number) << 8) | (data[at + 1] as number));
  }
  const first = data[at] as number;
  if (first < 0x80) {
    return first;
  }
  // Hadoop's VLong: 0x8f to 0x88 begin one to eight bytes of a positive number.
  const length = 0x90 - first;
  if (length < 1 || length > 8) {
    throw corrupt("negative MVCC number", { offset: at, field: "MVCC number" });
  }
  let value = 0;
  for (let i = 1; i <= length; i++) {
    value = value * 256 + (data[at + i] as number);
  }
  if (!Number.isSafeInteger(value)) {
    throw corrupt("MVCC number exceeds 2^53", { offset: at, field: "MVCC number" });
  }
  return value;
}
