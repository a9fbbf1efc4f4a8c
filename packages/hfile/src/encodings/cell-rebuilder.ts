/**
 * Rebuilds the cells of an encoded block one by one. Parts of a key or value come from the input or from the previous cell.
 */
import type { ByteReader, Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch, requireWithin } from "../blocks/mismatch.js";
import { type CellLayout, TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { viewOf } from "../cells/cell-search.js";
import { vlongLength } from "../cells/hadoop-vlong.js";
import { TagDecoder } from "./cell-tags.js";

/** The two lengths before a key. */
const LENGTHS = 8;
/** From this length on, `set` and `copyWithin` are faster than a loop. */
const LONG = 96;
/** Memory for a claimed size is allocated up to this multiple of the input, and more only on demand. */
const MAX_EXPANSION = 8;

export class CellRebuilder {
  private readonly reader: ByteReader;
  private readonly input: DataView;
  private readonly layout: CellLayout;
  private readonly tags: TagDecoder | undefined;
  /** Decoded size of all cells. */
  private readonly size: number;
  private out: Uint8Array;
  private view: DataView;
  /** Bytes of cells so far. */
  private length = 0;
  /** Where the current part of the cell must end. */
  private limit = 0;
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
    this.input = viewOf(reader.bytes);
    this.layout = layout;
    const append = (bytes: Uint8Array, field: string) => this.appendBytes(bytes, field);
    this.tags = layout.tags ? new TagDecoder(reader, layout, append) : undefined;
    this.size = size;
    this.out = new Uint8Array(Math.min(size, MAX_EXPANSION * reader.remaining + LONG));
    this.view = viewOf(this.out);
  }

  /** Key bytes of the current cell so far. */
  get written(): number {
    return this.length - this.current;
  }

  /** Reads the lengths of a cell, and takes the prefix that its key shares with the previous one. @returns its length */
  begin(hasKeyLength: boolean, hasValueLength: boolean): number {
    const { reader } = this;
    const keyLength = hasKeyLength ? readVarint32(reader, "key length") : this.keyLength;
    const valueLength = hasValueLength ? readVarint32(reader, "value length") : this.valueLength;
    const common = readVarint32(reader, "common key length");
    this.beginCell(keyLength, valueLength);
    if (common > 0) {
      this.fromPrevious(common, "common key");
    }
    return common;
  }

  beginCell(keyLength: number, valueLength: number): void {
    const start = this.length;
    this.limit = this.size;
    this.reserve(LENGTHS + keyLength + valueLength, "cell");
    this.view.setUint32(start, keyLength);
    this.view.setUint32(start + 4, valueLength);
    this.keyLength = keyLength;
    this.valueLength = valueLength;
    this.current = start + LENGTHS;
    this.length = this.current;
    this.limit = this.current + keyLength + valueLength;
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

  /** Takes bytes of the current part from the input. */
  fromInput(length: number, field: string): void {
    const { reader } = this;
    this.require(length, field);
    const from = reader.position;
    reader.skip(length, field);
    if (length < LONG) {
      copyShort(this.input, from, this.view, this.length, length);
    } else {
      this.out.set(reader.bytes.subarray(from, from + length), this.length);
    }
    this.length += length;
  }

  /** Takes the first `length` bytes of the previous key. */
  fromPrevious(length: number, field: string): void {
    const from = this.previous;
    if (this.isFirst || length < 0 || from + length > this.current - LENGTHS) {
      throw mismatch(field, this.reader.position, "bytes of the previous cell", length);
    }
    this.require(length, field);
    if (length < LONG) {
      copyShort(this.view, from, this.view, this.length, length);
    } else {
      this.out.copyWithin(this.length, from, from + length);
    }
    this.length += length;
  }

  appendBytes(bytes: Uint8Array, field: string): void {
    this.reserve(bytes.length, field);
    this.out.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** The row length in the current key. */
  private rowLength(): number {
    const { out, current } = this;
    return ((out[current] as number) << 8) | (out[current + 1] as number);
  }

  /** Completes a cell, whose key must be complete: takes the value, the tags and the MVCC number. */
  end(): void {
    if (this.written !== this.keyLength || this.keyLength < TIMESTAMP_AND_TYPE) {
      throw mismatch("key length", this.reader.position, this.keyLength, this.written);
    }
    this.fromInput(this.valueLength, "value");
    this.limit = this.size;
    this.tags?.next();
    if (this.layout.mvcc) {
      const { bytes, position } = this.reader;
      this.reader.require(1, "MVCC number");
      const length = vlongLength(bytes[position] as number);
      this.reserve(length, "MVCC number");
      this.fromInput(length, "MVCC number");
    }
    this.previous = this.current;
    this.isFirst = false;
  }

  /** All cells. */
  finish(): Uint8Array {
    if (this.length !== this.size) {
      throw mismatch("decoded size", 0, this.size, this.length);
    }
    return this.out;
  }

  private require(length: number, field: string): void {
    const room = this.limit - this.length;
    if (!(length >= 0 && length <= room)) {
      throw mismatch(field, this.reader.position, `at most ${room}`, length);
    }
  }

  /** Makes room for more bytes. */
  private reserve(length: number, field: string): void {
    this.require(length, field);
    const needed = this.length + length;
    if (needed > this.out.length) {
      const grown = new Uint8Array(Math.min(this.size, Math.max(needed, 2 * this.out.length)));
      grown.set(this.out.subarray(0, this.length));
      this.out = grown;
      this.view = viewOf(grown);
    }
  }
}

/** Copies fewer than `LONG` bytes, which do not overlap. */
function copyShort(from: DataView, start: number, to: DataView, target: number, length: number): void {
  const end = start + length;
  let at = start;
  let out = target;
  for (; at + 4 <= end; at += 4, out += 4) {
    to.setInt32(out, from.getInt32(at, true), true);
  }
  for (; at < end; at++, out++) {
    to.setUint8(out, from.getUint8(at));
  }
}
