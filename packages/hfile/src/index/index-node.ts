/**
 * A block of an index (docs/spec/hfile.md#7-index-blocks).
 *
 * | form | bytes |
 * | --- | --- |
 * | root | per entry: i64 offset, i32 size, VInt key length, key; the number of entries is in the trailer |
 * | leaf, intermediate | i32 n; n + 1 i32 starts, relative to the first entry; per entry: i64 offset, i32 size, key |
 *
 * A key of a data index is `u16 row length, row` and, in most files, family, qualifier, timestamp and type. The pointer to the middle
 * key after the entries of a root is ignored.
 */
import { type BlockLocation, ByteReader, CFileError, compareRange, corrupt, type Limits } from "@cfile/bytes";
import { readVarint32 } from "@cfile/varint";
import { mismatch, requireWithin } from "../blocks/mismatch.js";
import { readVintLength } from "../cells/hadoop-vlong.js";

/** Offset and size, and at least one byte for the key's length. */
const MIN_ROOT_ENTRY = 13;
const ENTRY_HEAD = 12;
/** Type of an artificial key that precedes all cells of its row. */
const TYPE_MAXIMUM = 0xff;

/** Entries of one index block, in arrays. */
export class IndexNode {
  readonly length: number;
  readonly data: Uint8Array;
  /** File offset of each block. */
  readonly offsets: Float64Array;
  /** Size of each block on disk. */
  readonly sizes: Int32Array;
  /** Position of each key in `data`. */
  readonly keyStarts: Int32Array;
  readonly keyEnds: Int32Array;

  constructor(data: Uint8Array, length: number) {
    this.data = data;
    this.length = length;
    this.offsets = new Float64Array(length);
    this.sizes = new Int32Array(length);
    this.keyStarts = new Int32Array(length);
    this.keyEnds = new Int32Array(length);
  }

  get memory(): number {
    return this.data.length + 20 * this.length;
  }

  /** File offset of an entry's block. */
  offset(entry: number): number {
    return this.offsets[entry] as number;
  }

  /** Size of an entry's block on disk. */
  size(entry: number): number {
    return this.sizes[entry] as number;
  }

  /** Offset and size of an entry's block. */
  location(entry: number): BlockLocation {
    return { offset: this.offset(entry), size: this.size(entry) };
  }

  /** The key of an entry, not copied. */
  key(entry: number): Uint8Array {
    return this.data.subarray(this.keyStarts[entry], this.keyEnds[entry]);
  }

  /** Where the row of an entry's key begins in `data`. */
  rowStart(entry: number): number {
    return (this.keyStarts[entry] as number) + 2;
  }

  /** Where the row of an entry's key ends in `data`. */
  rowEnd(entry: number): number {
    const start = this.keyStarts[entry] as number;
    return start + 2 + (((this.data[start] as number) << 8) | (this.data[start + 1] as number));
  }

  /** The row of an entry's key, not copied. */
  row(entry: number): Uint8Array {
    return this.data.subarray(this.rowStart(entry), this.rowEnd(entry));
  }

  /** Order of an entry's row against `row`. */
  compareRow(entry: number, row: Uint8Array): number {
    return compareRange(this.data, this.rowStart(entry), this.rowEnd(entry), row);
  }

  /** The last entry whose row is not after `row`, or -1. */
  floor(row: Uint8Array): number {
    let low = 0;
    let high = this.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareRow(middle, row) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low - 1;
  }

  /** Whether, by its key, no cell of its row is in an earlier block. */
  beginsRow(entry: number): boolean {
    const tail = this.rowEnd(entry);
    const end = this.keyEnds[entry] as number;
    // Hudi's own writer leaves the tail out and keeps the cells of a key together.
    return tail >= end || (this.data[tail] === 0 && this.data[end - 1] === TYPE_MAXIMUM);
  }
}

/**
 * @param count entries that the trailer claims
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT`
 */
export function parseRootIndex(
  body: Uint8Array,
  count: number,
  kind: "data" | "meta",
  limits: Limits,
): IndexNode {
  if (count > body.length / MIN_ROOT_ENTRY) {
    const reason = `index of ${body.length} bytes cannot have ${count} entries`;
    throw new CFileError("E_TRUNCATED", reason, { offset: 0, field: "index entry count", actual: count });
  }
  const reader = new ByteReader(body);
  const node = new IndexNode(body, count);
  for (let i = 0; i < count; i++) {
    readPointer(reader, node, i);
    const isData = kind === "data";
    const length = isData ? readDataKeyLength(reader) : readVintLength(reader, "index key length");
    takeKey(reader, node, i, length, limits);
  }
  return node;
}

/**
 * The key's length. Some versions of Hudi's writer store it as a protobuf varint, which differs for 128 and more: a length that does
 * not fit the row of the key is read as a protobuf varint.
 */
function readDataKeyLength(reader: ByteReader): number {
  const { position } = reader;
  for (const read of [readVintLength, readVarint32]) {
    try {
      reader.position = position;
      const length = read(reader, "index key length");
      const { bytes, position: at, remaining } = reader;
      const row = ((bytes[at] as number) << 8) | (bytes[at + 1] as number);
      if (length >= 2 && length <= remaining && row + 2 <= length) {
        return length;
      }
    } catch {
      // Not encoded this way: try the next encoding.
    }
  }
  const details = { offset: position, field: "index key length" };
  throw corrupt("length of an index key does not match its row", details);
}

/** A leaf or an intermediate block. @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`, `E_LIMIT` */
export function parseIndexNode(body: Uint8Array, limits: Limits): IndexNode {
  const reader = new ByteReader(body);
  const count = reader.u32be("index entry count");
  if (count === 0) {
    throw mismatch("index entry count", 0, "at least 1", count);
  }
  reader.require(4 * (count + 1) + ENTRY_HEAD * count, "index entries");
  const starts = new DataView(body.buffer, body.byteOffset + reader.position, 4 * (count + 1));
  reader.skip(4 * (count + 1), "index entry starts");
  const first = reader.position;
  const node = new IndexNode(body, count);
  for (let i = 0; i < count; i++) {
    const start = starts.getInt32(4 * i);
    const length = starts.getInt32(4 * i + 4) - start - ENTRY_HEAD;
    if (start !== reader.position - first || length < 0) {
      throw mismatch("index entry start", 4 + 4 * i, reader.position - first, start);
    }
    readPointer(reader, node, i);
    takeKey(reader, node, i, length, limits);
    checkRow(node, i);
  }
  return node;
}

function readPointer(reader: ByteReader, node: IndexNode, entry: number): void {
  const offset = reader.position;
  const high = reader.u32be("block offset");
  const low = reader.u32be("block offset");
  const size = reader.u32be("block size");
  // Offsets from 2^53 on are beyond any file; sizes from 2^31 on are negative.
  if (high >= 2 ** 21 || size >= 2 ** 31) {
    throw corrupt("invalid block pointer in an index entry", { offset, field: "block offset" });
  }
  node.offsets[entry] = high * 2 ** 32 + low;
  node.sizes[entry] = size;
}

function takeKey(reader: ByteReader, node: IndexNode, entry: number, length: number, limits: Limits): void {
  const offset = reader.position;
  requireWithin(limits, "maxKeyLength", length, "index key", { offset, field: "index key" });
  reader.skip(length, "index key");
  node.keyStarts[entry] = offset;
  node.keyEnds[entry] = offset + length;
}

function checkRow(node: IndexNode, entry: number): void {
  const offset = node.keyStarts[entry] as number;
  const end = node.keyEnds[entry] as number;
  if (end - offset < 2 || node.rowEnd(entry) > end) {
    throw mismatch("index key", offset, "a row and its length", end - offset);
  }
}

/**
 * Checks that rows are in ascending order and that blocks lie between `from` and `end`, in order and without overlap.
 * @throws {CFileError} `E_CORRUPT`
 */
export function checkIndexOrder(node: IndexNode, from: number, end: number, rowsAreOrdered: boolean): void {
  let position = from;
  for (let i = 0; i < node.length; i++) {
    const offset = node.offset(i);
    if (offset < position || offset + node.size(i) > end) {
      const pointer = (node.keyStarts[i] as number) - ENTRY_HEAD;
      throw mismatch("block offset", pointer, `${position} to ${end}`, offset);
    }
    position = offset + node.size(i);
    if (rowsAreOrdered && i > 0 && node.compareRow(i, node.row(i - 1)) < 0) {
      const details = { field: "index key", offset: node.keyStarts[i] };
      throw corrupt(`row of index entry ${i} precedes that of the previous entry`, details);
    }
  }
}
