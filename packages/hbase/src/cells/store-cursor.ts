/** Moves over the cells of one store file, block by block; the fields describe the current cell without an object per cell. */
import { corrupt } from "@cfile/bytes";
import { CellBatch, TIMESTAMP_AND_TYPE } from "@cfile/hfile";
import { cellSteps } from "./cell-steps.js";

/** What a cursor needs to know about its cells. */
export interface CursorOptions {
  /** Rank of the family among those scanned. */
  readonly family: number;
  /** Name of the family, which all cells must have. */
  readonly familyBytes: Uint8Array;
  /** Greater for newer files. */
  readonly age: number;
  /** The sequence ID of all cells; `undefined` if each cell has its own. */
  readonly sequenceId: number | undefined;
  /** Path of the file, for errors. */
  readonly path: string;
}

/** Blocks of cells: an iterator over a file, or blocks that are in memory. */
export type CellBlocks = AsyncIterator<CellBatch, void, undefined> | Iterator<CellBatch, void, undefined>;

const NO_CELLS = /* @__PURE__ */ new CellBatch(
  /* @__PURE__ */ new Uint8Array(0),
  { tags: false, mvcc: false },
  /* @__PURE__ */ new Int32Array(0),
  /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(0)),
);

export class StoreCursor {
  readonly family: number;
  readonly age: number;
  batch: CellBatch = NO_CELLS;
  /** Bits of the block's cells; see `cell-steps.ts`. */
  steps: Uint8Array = NO_CELLS.data;
  /** The block's bytes. */
  data: Uint8Array = NO_CELLS.data;
  view: DataView = NO_CELLS.view;
  /** Index of the cell in {@link batch}. */
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
  private readonly options: CursorOptions;
  private readonly blocks: CellBlocks;

  constructor(blocks: CellBlocks, options: CursorOptions) {
    this.blocks = blocks;
    this.options = options;
    this.family = options.family;
    this.age = options.age;
  }

  /** Moves to a cell of the block; `false` at its end. */
  moveTo(index: number): boolean {
    const { batch, data, view } = this;
    if (index >= batch.length) {
      return false;
    }
    const keyEnd = batch.valueStart(index) - TIMESTAMP_AND_TYPE;
    this.index = index;
    this.rowStart = batch.rowStarts[index] as number;
    this.rowEnd = batch.rowEnd(index);
    this.qualifierStart = this.rowEnd + 1 + (data[this.rowEnd] as number);
    this.qualifierEnd = keyEnd;
    this.timestampHigh = view.getInt32(keyEnd);
    this.timestampLow = view.getUint32(keyEnd + 4);
    this.type = data[keyEnd + 8] as number;
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

  /** Like {@link load}, for a block in memory. */
  begin(batch: CellBatch): boolean {
    this.batch = batch;
    this.data = batch.data;
    this.view = batch.view;
    this.steps = cellSteps(batch, this.options.familyBytes, this.options.path);
    return this.moveTo(0);
  }

  /** Releases the file's iterator. */
  async close(): Promise<void> {
    await this.blocks.return?.();
  }
}

/** The MVCC number of a cell; 0 in files without such numbers. @throws {CFileError} `E_CORRUPT` above 2^53 */
function sequenceIdAt(batch: CellBatch, index: number): number {
  const { data, layout } = batch;
  if (!layout.mvcc) {
    return 0;
  }
  let at = batch.valueEnd(index);
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
