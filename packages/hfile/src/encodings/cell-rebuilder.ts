/**
 * Rebuilds the cells of an encoded block one by one. Parts of a key or value come from the input or from the previous cell.
 */
import { ByteBuilder, type ByteReader, type Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch, requireWithin } from "../blocks/mismatch.js";
import { type CellLayout, copyRange, TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { vlongLength } from "../cells/hadoop-vlong.js";
import { TagDecoder } from "./cell-tags.js";

/** The two lengths before a key. */
const LENGTHS = 8;

export class CellRebuilder {
  private readonly out: ByteBuilder;
  private readonly reader: ByteReader;
  private readonly layout: CellLayout;
  private readonly tags: TagDecoder | undefined;
  /** Decoded size of all cells. */
  private readonly size: number;
  /** Whether no cell has been completed yet. */
  isFirst = true;
  /** Offset of the previous cell's key. */
  private previous = 0;
  /** Offset of the current cell's key. */
  private current = 0;
  keyLength = 0;
  valueLength = 0;

  /** Reads the size of the decoded block, which comes first. */
  constructor(reader: ByteReader, layout: CellLayout, limits: Limits) {
    const size = reader.u32be("decoded size");
    requireWithin(limits, "maxBlockSize", size, "decoded block", { field: "decoded size" });
    this.reader = reader;
    this.layout = layout;
    const append = (bytes: Uint8Array, field: string) => this.appendBytes(bytes, field);
    this.tags = layout.tags ? new TagDecoder(reader, layout, append) : undefined;
    this.size = size;
    this.out = new ByteBuilder(Math.min(size, 4 * reader.remaining) + 64);
  }

  /** Key bytes of the current cell so far. */
  get written(): number {
    return this.out.length - this.current;
  }

  /** Reads the lengths of a cell, and takes the prefix that its key shares with the previous one. @returns its length */
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

  /** Takes the row of a key that shares `common` bytes with the previous one. @returns the row's length */
  takeRow(common: number): number {
    this.fromInput(Math.max(0, 2 - common), "row length");
    const length = this.rowLength();
    this.fromInput(length + 2 - this.written, "row");
    return length;
  }

  /** Takes the qualifier: all bytes up to the timestamp. */
  takeQualifier(): void {
    this.fromInput(this.keyLength - TIMESTAMP_AND_TYPE - this.written, "qualifier");
  }

  /** Takes key bytes from the input. */
  fromInput(length: number, field: string): void {
    const { reader, out } = this;
    this.require(length, field);
    const start = reader.position;
    reader.skip(length, field);
    copyRange(reader.bytes, start, reader.position, out.reserve(length), out.length);
    out.length += length;
  }

  /** Takes `length` bytes from the previous key, starting at byte `start`. */
  fromPrevious(start: number, length: number, field: string): void {
    if (this.isFirst || length < 0 || this.previous + start + length > this.current - LENGTHS) {
      throw mismatch(field, this.reader.position, "bytes of the previous cell", length);
    }
    this.require(length, field);
    const { out } = this;
    const from = this.previous + start;
    const bytes = out.reserve(length);
    copyRange(bytes, from, from + length, bytes, out.length);
    out.length += length;
  }

  appendBytes(bytes: Uint8Array, field: string): void {
    const { out } = this;
    this.require(bytes.length, field);
    copyRange(bytes, 0, bytes.length, out.reserve(bytes.length), out.length);
    out.length += bytes.length;
  }

  /** The row length in the current key. */
  rowLength(): number {
    const bytes = this.out.view8();
    return ((bytes[this.current] as number) << 8) | (bytes[this.current + 1] as number);
  }

  previousByte(position: number): number {
    return this.out.view8()[this.previous + position] as number;
  }

  /** Completes a cell, whose key must be complete: takes the value, the tags and the MVCC number. */
  end(valueFromPrevious: number | undefined): void {
    if (this.written !== this.keyLength || this.keyLength < TIMESTAMP_AND_TYPE) {
      throw mismatch("key length", this.reader.position, this.keyLength, this.written);
    }
    if (valueFromPrevious === undefined) {
      this.fromInput(this.valueLength, "value");
    } else {
      this.fromPrevious(valueFromPrevious, this.valueLength, "value");
    }
    this.tags?.next();
    if (this.layout.mvcc) {
      const { bytes, position } = this.reader;
      this.reader.require(1, "MVCC number");
      this.fromInput(vlongLength(bytes[position] as number), "MVCC number");
    }
    this.previous = this.current;
    this.isFirst = false;
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
