/**
 * Cells of an ordinary block, made one after the other from what an encoding leaves of them: parts of a key or value
 * come from the input or from the cell before.
 */
import { ByteBuilder, type ByteReader, type Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch, requireWithin } from "../blocks/mismatch.js";
import { type CellLayout, TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { vlongLength } from "../cells/hadoop-vlong.js";

/** The two lengths before a key. */
const LENGTHS = 8;

export class CellRebuilder {
  private readonly out: ByteBuilder;
  private readonly reader: ByteReader;
  private readonly layout: CellLayout;
  /** Bytes that all cells will have. */
  private readonly size: number;
  private started = false;
  /** Where the cell before and this one have their keys. */
  private previous = 0;
  private current = 0;
  keyLength = 0;
  valueLength = 0;

  /** Reads the size of the decoded block, which comes first. */
  constructor(reader: ByteReader, layout: CellLayout, limits: Limits) {
    const size = reader.u32be("decoded size");
    requireWithin(limits, "maxBlockSize", size, "decoded block", { field: "decoded size" });
    this.reader = reader;
    this.layout = layout;
    this.size = size;
    this.out = new ByteBuilder(Math.min(size, 4 * reader.remaining) + 64);
  }

  get isFirst(): boolean {
    return !this.started;
  }

  /** Key bytes of this cell so far. */
  get written(): number {
    return this.out.length - this.current;
  }

  /** Reads the lengths of a cell, and takes the bytes that its key has in common with the one before. @returns their number */
  begin(hasKeyLength: boolean, hasValueLength: boolean): number {
    const { reader } = this;
    const keyLength = hasKeyLength ? readVarint32(reader, "key length") : this.keyLength;
    const valueLength = hasValueLength ? readVarint32(reader, "value length") : this.valueLength;
    const common = readVarint32(reader, "common key length");
    this.beginCell(keyLength, valueLength);
    if (common > 0) {
      this.fromPrevious(0, common, "common key");
    }
    return common;
  }

  beginCell(keyLength: number, valueLength: number): void {
    this.require(LENGTHS + keyLength + valueLength, "cell");
    this.out.u32be(keyLength);
    this.out.u32be(valueLength);
    this.keyLength = keyLength;
    this.valueLength = valueLength;
    this.current = this.out.length;
  }

  /** Takes the row of a key that has `common` bytes of the one before. @returns the row's length */
  takeRow(common: number): number {
    this.fromInput(Math.max(0, 2 - common), "row length");
    const length = this.rowLength();
    this.fromInput(length + 2 - this.written, "row");
    return length;
  }

  /** Takes what is between row or family and timestamp. */
  takeQualifier(): void {
    this.fromInput(this.keyLength - TIMESTAMP_AND_TYPE - this.written, "qualifier");
  }

  /** Takes key bytes from the input. */
  fromInput(length: number, field: string): void {
    this.require(length, field);
    this.out.append(this.reader.take(length, field));
  }

  /** Takes `length` bytes from the key before, from its byte `start` on. */
  fromPrevious(start: number, length: number, field: string): void {
    if (this.isFirst || length < 0 || this.previous + start + length > this.current - LENGTHS) {
      throw mismatch(field, this.reader.position, "bytes of the previous cell", length);
    }
    this.require(length, field);
    const from = this.previous + start;
    this.out.reserve(length).copyWithin(this.out.length, from, from + length);
    this.out.length += length;
  }

  appendBytes(bytes: Uint8Array, field: string): void {
    this.require(bytes.length, field);
    this.out.append(bytes);
  }

  /** Two bytes of this cell's key as a big-endian number. */
  rowLength(): number {
    const bytes = this.out.view8();
    return ((bytes[this.current] as number) << 8) | (bytes[this.current + 1] as number);
  }

  previousByte(position: number): number {
    return this.out.view8()[this.previous + position] as number;
  }

  /** Takes the value, and what follows it, and turns to the next cell. The key has to be complete. */
  end(valueFromPrevious: number | undefined): void {
    if (this.written !== this.keyLength || this.keyLength < TIMESTAMP_AND_TYPE) {
      throw mismatch("key length", this.reader.position, this.keyLength, this.written);
    }
    if (valueFromPrevious === undefined) {
      this.fromInput(this.valueLength, "value");
    } else {
      this.fromPrevious(valueFromPrevious, this.valueLength, "value");
    }
    if (this.layout.mvcc) {
      const { bytes, position } = this.reader;
      this.reader.require(1, "MVCC number");
      this.fromInput(vlongLength(bytes[position] as number), "MVCC number");
    }
    this.previous = this.current;
    this.started = true;
  }

  /** All cells. */
  finish(): Uint8Array {
    if (this.out.length !== this.size) {
      throw mismatch("decoded size", 0, this.size, this.out.length);
    }
    return this.out.view8();
  }

  private require(length: number, field: string): void {
    if (!(length >= 0 && length <= this.size - this.out.length)) {
      throw mismatch(field, this.reader.position, `at most ${this.size - this.out.length}`, length);
    }
  }
}
