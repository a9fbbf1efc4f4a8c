/**
 * Rows into data blocks: runs of present values go to the encoder, validity and array lengths to the block's
 * header; where a block is cut follows specification 4.2.
 */
import { findBit } from "@cfile/bytes";
import {
  type ArrayBatch,
  type BlockBuilder,
  type ColumnBatch,
  createBlockBuilder,
  encodeArrayBlock,
  encodeNullableBlock,
  encodeVectorKey,
  isDictionaryBuilder,
  RleEncoder,
  type ScalarBatch,
} from "@cfile/encodings";
import type { ResolvedWriterOptions } from "./writer-options.js";

/** A finished block, before compression and checksum. */
export interface BuiltBlock {
  readonly bytes: Uint8Array;
  readonly firstRow: number;
  readonly rows: number;
  /** Encoded keys of the first and the last value; with a value index only. */
  readonly firstKey: Uint8Array | undefined;
  readonly lastKey: Uint8Array | undefined;
}

export class DataBlockBuilder {
  private readonly options: ResolvedWriterOptions;
  private readonly onBlock: (block: BuiltBlock) => void;
  private readonly values: BlockBuilder;
  /** One bit a row: present or null. For arrays, of the cell. */
  private readonly validity = new RleEncoder(1);
  private readonly elementValidity = new RleEncoder(1);
  private readonly elementCounts = new RleEncoder(16);
  private elements = 0;
  private rows = 0;
  private firstRow = 0;
  private firstKey: Uint8Array | undefined;
  private lastKey: Uint8Array | undefined;

  constructor(options: ResolvedWriterOptions, onBlock: (block: BuiltBlock) => void) {
    this.options = options;
    this.onBlock = onBlock;
    this.values = createBlockBuilder(options.type, options.encoding, options);
  }

  /** Rows of all blocks, the one under construction included. */
  get totalRows(): number {
    return this.firstRow + this.rows;
  }

  /** Takes one unit of rows. */
  add(batch: ColumnBatch, from: number, to: number): void {
    if (batch.kind === "array") {
      this.addCells(batch, from, to);
    } else if (this.options.nullable) {
      this.addNullable(batch, from, to);
    } else {
      this.addPresent(batch, from, to);
    }
  }

  /** Cuts the last block, if it holds any row. */
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
        this.firstKey ??= encodeVectorKey(batch, from);
        this.lastKey = encodeVectorKey(batch, from + taken - 1);
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

  private addNullable(batch: ScalarBatch, from: number, to: number): void {
    const { validity } = batch;
    if (validity === undefined) {
      this.addPresent(batch, from, to);
      return;
    }
    while (from < to) {
      const present = findBit(validity, true, from, to);
      this.validity.putRun(0, present - from);
      this.rows += present - from;
      from = findBit(validity, false, present, to);
      this.addPresent(batch, present, from);
    }
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
        // Null and empty cells never end a block.
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
      firstRow: this.firstRow,
      rows: this.rows,
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
      return encodeArrayBlock(
        {
          elements: this.elements,
          rows: this.rows,
          elementValidity: this.elementValidity.finish(),
          elementCounts: this.elementCounts.finish(),
          rowValidity: this.validity.finish(),
        },
        encoded,
      );
    }
    return this.options.nullable ? encodeNullableBlock(this.rows, this.validity.finish(), encoded) : encoded;
  }
}
