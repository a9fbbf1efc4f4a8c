/**
 * Builds data blocks from rows: runs of present values go to the encoder, validity and array lengths to the block's header.
 * docs/spec/cfile.md#42-when-a-block-is-cut defines where blocks end.
 */
import { findBit, getBit, MemoryArena } from "@cfile/bytes";
import type { ArrayBatch, BlockBuilder, BuilderFactory, ColumnBatch, ScalarBatch } from "@cfile/encodings";
import { isDictionaryBuilder } from "@cfile/encodings";
import { encodeArrayBlock, encodeNullableBlock, gatherVector } from "@cfile/encodings/headers";
import { encodeVectorKey } from "@cfile/encodings/keys";
import { RleEncoder } from "@cfile/encodings/rle";
import { CHECKSUM_LENGTH } from "../blocks/block-wrapper.js";
import type { RawBlock } from "./container-writer.js";
import type { ResolvedWriterOptions } from "./writer-options.js";

/** Number of rows whose present values are gathered at a time. */
const GATHERED_ROWS = 65536;

export class DataBlockBuilder {
  private readonly options: ResolvedWriterOptions;
  /** Must use the block synchronously: its memory is reused for the next one. */
  private readonly onBlock: (block: RawBlock) => void;
  private readonly values: BlockBuilder;
  /** One bit per row: present or null. */
  private readonly validity = new RleEncoder(1);
  private readonly elementValidity = new RleEncoder(1);
  private readonly elementCounts = new RleEncoder(16);
  private readonly gathered = new MemoryArena();
  private elements = 0;
  private rows = 0;
  private firstRow = 0;
  private firstKey: Uint8Array | undefined;
  private lastKey: Uint8Array | undefined;

  /** @param create creates the encoder */
  constructor(options: ResolvedWriterOptions, create: BuilderFactory, onBlock: (block: RawBlock) => void) {
    this.options = options;
    this.onBlock = onBlock;
    const isStored = options.compression === "NO_COMPRESSION" && !options.nullable && !options.array;
    const tail = isStored ? CHECKSUM_LENGTH : undefined;
    this.values = create({ ...options, reuseMemory: true, tail });
  }

  /** See `UnitTarget`. */
  unitFree(batch: ColumnBatch, from: number, to: number): number {
    // A block of arrays can end after any cell.
    return batch.kind === "array" ? to - from : this.values.unitFree(batch, from, to);
  }

  /** Adds one unit of rows. */
  add(batch: ColumnBatch, from: number, to: number): void {
    if (batch.kind === "array") {
      this.addCells(batch, from, to);
    } else if (this.options.nullable) {
      this.addNullable(batch, from, to);
    } else {
      this.addPresent(batch, from, to);
    }
  }

  /** Completes the last block, if it has rows. */
  finish(): void {
    if (this.rows > 0) {
      this.cut();
    }
  }

  /** The dictionary block; `undefined` for other encodings. */
  finishDictionary(): Uint8Array | undefined {
    return isDictionaryBuilder(this.values) ? this.values.finishDictionary() : undefined;
  }

  private addPresent(batch: ScalarBatch, from: number, to: number): void {
    while (from < to) {
      const taken = this.values.add(batch, from, to);
      if (taken > 0 && this.options.validx) {
        this.firstKey ??= this.keyOf(batch, from);
        this.lastKey = this.keyOf(batch, from + taken - 1);
      }
      if (this.options.nullable) {
        this.validity.putRun(1, taken);
      }
      this.rows += taken;
      from += taken;
      if (this.values.full) {
        this.cut();
      }
    }
  }

  private keyOf(batch: ScalarBatch, row: number): Uint8Array {
    return this.options.indexKeys?.keyOf(batch, row) ?? encodeVectorKey(batch, row);
  }

  private addNullable(batch: ScalarBatch, from: number, to: number): void {
    const { validity } = batch;
    if (validity === undefined) {
      this.addPresent(batch, from, to);
      return;
    }
    if (this.values.unitFree(batch, from, to) < to - from) {
      this.addRuns(batch, validity, from, to);
      return;
    }
    for (let start = from; start < to; start += GATHERED_ROWS) {
      this.addGathered(batch, validity, start, Math.min(to, start + GATHERED_ROWS));
    }
  }

  /** Adds each run of present values as a unit: a null ends the unit. */
  private addRuns(batch: ScalarBatch, validity: Uint8Array, from: number, to: number): void {
    while (from < to) {
      const present = findBit(validity, true, from, to);
      this.validity.putRun(0, present - from);
      this.rows += present - from;
      from = findBit(validity, false, present, to);
      this.addPresent(batch, present, from);
    }
  }

  /** Adds all present values at once, if units make no difference. */
  private addGathered(batch: ScalarBatch, validity: Uint8Array, from: number, to: number): void {
    // The builder has copied the values gathered before.
    this.gathered.recycle();
    const { kernels } = this.options;
    const values = gatherVector(batch, validity, from, to, { kernels, memory: this.gathered });
    let row = from;
    for (let taken = 0; taken < values.length; ) {
      const added = this.values.add(values, taken, values.length);
      taken += added;
      const { full } = this.values;
      // Nulls after the value that fills a block belong to the next one.
      const end = full || taken < values.length ? rowAfter(validity, row, added) : to;
      this.addValidity(validity, row, end);
      row = end;
      if (full) {
        this.cut();
      }
    }
    this.addValidity(validity, row, to);
  }

  private addValidity(validity: Uint8Array, from: number, to: number): void {
    this.validity.putBits(validity, from, to);
    this.rows += to - from;
  }

  private addCells(batch: ArrayBatch, from: number, to: number): void {
    for (let row = from; row < to; row++) {
      const isNull = batch.isNull(row);
      const start = batch.offsets[row] as number;
      const end = isNull ? start : (batch.offsets[row + 1] as number);
      this.validity.putRun(isNull ? 0 : 1, 1);
      this.elementCounts.putRun(end - start, 1);
      this.rows++;
      if (end > start) {
        this.addElements(batch.child, start, end);
        // Null and empty cells never fill a block.
        if (this.values.full) {
          this.cut();
        }
      }
    }
  }

  private addElements(child: ScalarBatch, from: number, to: number): void {
    this.elements += to - from;
    const { validity } = child;
    while (from < to) {
      const present = validity === undefined ? from : findBit(validity, true, from, to);
      const end = validity === undefined ? to : findBit(validity, false, present, to);
      this.elementValidity.putRun(0, present - from);
      this.elementValidity.putRun(1, end - present);
      if (end > present) {
        this.values.add(child, present, end, true);
      }
      from = end;
    }
  }

  private cut(): void {
    const encoded = this.values.finish(this.firstRow);
    this.onBlock({
      bytes: this.withHeader(encoded),
      isGiven: this.options.nullable && !this.options.array ? true : this.values.givesMemory,
      firstRow: this.firstRow,
      firstKey: this.firstKey,
      lastKey: this.lastKey,
    });
    this.firstRow += this.rows;
    this.rows = 0;
    this.elements = 0;
    this.firstKey = undefined;
    this.lastKey = undefined;
  }

  private withHeader(encoded: Uint8Array): Uint8Array {
    if (this.options.array) {
      const { elements, rows } = this;
      const elementValidity = this.elementValidity.finish();
      const elementCounts = this.elementCounts.finish();
      const rowValidity = this.validity.finish();
      return encodeArrayBlock({ elements, rows, elementValidity, elementCounts, rowValidity }, encoded);
    }
    return this.options.nullable
      ? encodeNullableBlock(this.rows, this.validity.finish(), encoded, CHECKSUM_LENGTH)
      : encoded;
  }
}

/** The row after the given number of one bits, counted from `row`. */
function rowAfter(validity: Uint8Array, row: number, present: number): number {
  let after = row;
  for (let left = present; left > 0; after++) {
    left -= getBit(validity, after) ? 1 : 0;
  }
  return after;
}
