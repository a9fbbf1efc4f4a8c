/**
 * The data-block encoding FAST_DIFF: like DIFF, but the timestamp has only the bytes that differ, the family is only in the first key,
 * and a value may repeat the previous one.
 *
 * | size | field |
 * | --- | --- |
 * | 4 | bytes of all cells when decoded, big-endian |
 * | 1 | per cell: flags, below |
 * | varint | key length, unless the same |
 * | varint | value length, unless the same |
 * | varint | bytes in common with the previous key, including the family when the row is the same |
 * | n | first cell: the whole key; others: rest of row and qualifier |
 * | 8 - k | rest of the timestamp; not in the first cell |
 * | 0, 1 | type, unless the same; not in the first cell |
 * | V | value, unless the same |
 * | … | tags; in files with tags only |
 * | 1 … 9 | MVCC number, as in an ordinary block |
 *
 * Flags: 1 … 4 number k of leading bytes shared with the previous timestamp, 8 same key length, 16 same value length, 32 same type,
 * 64 same value.
 */
import { ByteBuilder, type ByteReader, type Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch, requireWithin } from "../blocks/mismatch.js";
import { type CellLayout, TIMESTAMP_AND_TYPE } from "../cells/cell-batch.js";
import { viewOf } from "../cells/cell-search.js";
import { vlongLength } from "../cells/hadoop-vlong.js";
import { TagDecoder } from "./cell-tags.js";

const COMMON_TIMESTAMP = 7;
const SAME_KEY_LENGTH = 8;
const SAME_VALUE_LENGTH = 16;
const SAME_TYPE = 32;
const SAME_VALUE = 64;

/** The two lengths before a key. */
const LENGTHS = 8;
/** Minimum length of a key: row length, family length, timestamp and type. */
const MIN_KEY = 12;
/** From this length on, `set` and `copyWithin` are faster than a loop. */
const LONG = 96;
/** Copies write whole words, so the last one may end after the cell. */
const SLACK = 16;
/** Memory for a claimed size is allocated up to this multiple of the input, and more only on demand. */
const MAX_EXPANSION = 8;

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT` */
export function decodeFastDiff(reader: ByteReader, layout: CellLayout, limits: Limits): Uint8Array {
  const cells = new FastDiffCells(reader, layout, limits);
  while (reader.remaining > 0) {
    cells.next();
  }
  return cells.finish();
}

/**
 * Most parts of a cell have only a few bytes, for which `CellRebuilder`'s checks of each part would take twice as long as the copies.
 * Here the whole cell is checked before its parts are copied.
 */
class FastDiffCells {
  private readonly reader: ByteReader;
  private readonly inputView: DataView;
  private readonly mvcc: boolean;
  private readonly tags: TagDecoder | undefined;
  private readonly tagBytes = new ByteBuilder();
  /** Decoded size of all cells. */
  private readonly size: number;
  private out: Uint8Array;
  private view: DataView;
  /** Bytes of cells so far. */
  private length = 0;
  /** Position of the previous cell's key; 0 before the first one. */
  private key = 0;
  private keyLength = 0;
  private valueLength = 0;
  private rowLength = 0;

  /** Reads the size of the decoded block, which comes first. */
  constructor(reader: ByteReader, layout: CellLayout, limits: Limits) {
    const size = reader.u32be("decoded size");
    requireWithin(limits, "maxBlockSize", size, "decoded block", { field: "decoded size" });
    this.reader = reader;
    this.inputView = viewOf(reader.bytes);
    this.mvcc = layout.mvcc;
    const { tagBytes } = this;
    this.tags = layout.tags ? new TagDecoder(reader, layout, (bytes) => tagBytes.append(bytes)) : undefined;
    this.size = size;
    this.out = new Uint8Array(SLACK + Math.min(size, MAX_EXPANSION * reader.remaining));
    this.view = viewOf(this.out);
  }

  /** Decodes a cell. */
  next(): void {
    const { reader, length, valueLength: previousValueLength } = this;
    const flags = reader.u8("flags");
    const previousValue = this.key + this.keyLength;
    const keyLength = (flags & SAME_KEY_LENGTH) !== 0 ? this.keyLength : readLength(reader, "key length");
    const valueLength =
      (flags & SAME_VALUE_LENGTH) !== 0 ? previousValueLength : readLength(reader, "value length");
    const common = readLength(reader, "common key length");
    const key = length + LENGTHS;
    const value = key + keyLength;
    if (keyLength < MIN_KEY || value + valueLength > this.size) {
      throw mismatch(
        "cell length",
        reader.position,
        `at most ${this.size - length}`,
        value + valueLength - length,
      );
    }
    this.reserve(value + valueLength);
    this.view.setUint32(length, keyLength);
    this.view.setUint32(length + 4, valueLength);
    if (this.key === 0) {
      this.takeFirstKey(key, keyLength, common);
    } else {
      this.takeKey(key, value - TIMESTAMP_AND_TYPE, previousValue - TIMESTAMP_AND_TYPE, common);
      this.takeTimestamp(value - TIMESTAMP_AND_TYPE, previousValue - TIMESTAMP_AND_TYPE, flags);
    }
    if ((flags & SAME_VALUE) === 0) {
      this.fromInput(value, valueLength, "value");
    } else if (this.key > 0 && valueLength <= previousValueLength) {
      this.fromPrevious(value, previousValue, valueLength);
    } else {
      throw mismatch("value length", reader.position, `at most ${previousValueLength}`, valueLength);
    }
    this.length = value + valueLength;
    this.key = key;
    this.keyLength = keyLength;
    this.valueLength = valueLength;
    if (this.tags !== undefined) {
      this.takeTags(this.tags);
    }
    if (this.mvcc) {
      this.takeMvcc();
    }
  }

  /** All cells. */
  finish(): Uint8Array {
    if (this.length !== this.size) {
      throw mismatch("decoded size", 0, this.size, this.length);
    }
    return this.out.subarray(0, this.size);
  }

  private takeFirstKey(key: number, keyLength: number, common: number): void {
    this.fromInput(key, keyLength, "key");
    this.rowLength = this.view.getUint16(key);
    if (common > 0 || this.rowLength + MIN_KEY > keyLength) {
      throw mismatch("row length", this.reader.position, `at most ${keyLength - MIN_KEY}`, this.rowLength);
    }
  }

  /** Takes row, family and qualifier. Timestamp and type begin at `tail`, those of the previous cell at `previousTail`. */
  private takeKey(key: number, tail: number, previousTail: number, common: number): void {
    const { reader, out, view, rowLength } = this;
    let to = key + common;
    if (to > tail || this.key + common > previousTail) {
      throw mismatch("common key length", reader.position, `at most ${previousTail - this.key}`, common);
    }
    this.fromPrevious(key, this.key, common);
    if (common < rowLength + 2) {
      while (to < key + 2) {
        out[to++] = reader.u8("row length");
      }
      this.rowLength = view.getUint16(key);
      const family = this.key + 2 + rowLength;
      const familyLength = 1 + (out[family] as number);
      const rest = key + 2 + this.rowLength - to;
      if (to + rest + familyLength > tail || family + familyLength > previousTail) {
        throw mismatch("row length", reader.position, `at most ${tail - key - MIN_KEY}`, this.rowLength);
      }
      this.fromInput(to, rest, "row");
      this.fromPrevious(to + rest, family, familyLength);
      to += rest + familyLength;
    }
    this.fromInput(to, tail - to, "qualifier");
  }

  private takeTimestamp(tail: number, previousTail: number, flags: number): void {
    const { reader, out } = this;
    const input = reader.bytes;
    const isSameType = (flags & SAME_TYPE) !== 0;
    this.fromPrevious(tail, previousTail, TIMESTAMP_AND_TYPE);
    let from = reader.position;
    reader.skip(8 - (flags & COMMON_TIMESTAMP) + (isSameType ? 0 : 1), "timestamp and type");
    for (let to = tail + (flags & COMMON_TIMESTAMP); to < tail + 8; to++) {
      out[to] = input[from++] as number;
    }
    if (!isSameType) {
      out[tail + 8] = input[from] as number;
    }
  }

  private takeTags(tags: TagDecoder): void {
    const { tagBytes, length } = this;
    tagBytes.clear();
    tags.next();
    this.requireRoom(tagBytes.length, "tags");
    this.reserve(length + tagBytes.length);
    this.out.set(tagBytes.view8(), length);
    this.length += tagBytes.length;
  }

  private takeMvcc(): void {
    const { reader, out } = this;
    const first = reader.u8("MVCC number");
    const rest = vlongLength(first) - 1;
    this.requireRoom(rest + 1, "MVCC number");
    out[this.length++] = first;
    let from = reader.position;
    reader.skip(rest, "MVCC number");
    for (const end = from + rest; from < end; from++) {
      out[this.length++] = reader.bytes[from] as number;
    }
  }

  private requireRoom(length: number, field: string): void {
    const room = this.size - this.length;
    if (length > room) {
      throw mismatch(field, this.reader.position, `at most ${room}`, length);
    }
  }

  /** Makes room for cells up to `end`, and a few more bytes. */
  private reserve(end: number): void {
    const { out } = this;
    if (end + SLACK > out.length) {
      const larger = new Uint8Array(SLACK + Math.min(this.size, Math.max(end, 2 * out.length)));
      larger.set(out.subarray(0, this.length));
      this.out = larger;
      this.view = viewOf(larger);
    }
  }

  /** Copies bytes of the input to `to`. Up to three more bytes are written. */
  private fromInput(to: number, length: number, field: string): void {
    const { reader, inputView, view } = this;
    const from = reader.position;
    reader.skip(length, field);
    if (length >= LONG) {
      this.out.set(reader.bytes.subarray(from, from + length), to);
    } else if (from + length + 3 <= reader.end) {
      for (let i = 0; i < length; i += 4) {
        view.setInt32(to + i, inputView.getInt32(from + i, true), true);
      }
    } else {
      for (let i = 0; i < length; i++) {
        view.setUint8(to + i, inputView.getUint8(from + i));
      }
    }
  }

  /** Copies bytes of an earlier cell to `to`. Up to three more bytes are written. */
  private fromPrevious(to: number, from: number, length: number): void {
    const { view } = this;
    if (length >= LONG) {
      this.out.copyWithin(to, from, from + length);
      return;
    }
    for (let i = 0; i < length; i += 4) {
      view.setInt32(to + i, view.getInt32(from + i, true), true);
    }
  }
}

/** A varint, which is one byte in most cells. */
function readLength(reader: ByteReader, field: string): number {
  const first = reader.bytes[reader.position] as number;
  if (first < 0x80) {
    reader.position++;
    return first;
  }
  return readVarint32(reader, field);
}
