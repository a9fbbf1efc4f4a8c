/**
 * Index block, the node of an index tree (docs/spec/cfile.md#71-index-block), without compression wrapper and checksum.
 *
 * | part | coding |
 * | --- | --- |
 * | n entries | each: varint32 key length, key, varint64 block offset, varint32 block size |
 * | n offsets | u32le, start of each entry |
 * | trailer | protobuf `IndexTrailer`: n, leaf or internal |
 * | trailer length | u32le, without itself |
 */
import {
  type BlockLocation,
  ByteReader,
  CFileError,
  commonPrefixLength,
  compareRange,
  compareToPrefix,
  corrupt,
  DEFAULT_LIMITS,
  invalidArgument,
  keyHead,
  type Limits,
} from "@cfile/bytes";
import { readVarint32, readVarint64 } from "@cfile/varint";
import { parseIndexTrailer } from "./index-trailer.js";
import type { OrderedKeyEnd } from "./ordered-key.js";

const LENGTH_WORD = 4;
/** The trailer of Kudu's writer has 4 bytes; its reader takes no shorter one. */
const MIN_TRAILER_LENGTH = 4;
/** An entry with an empty key is three bytes, its offset four. */
const MIN_ENTRY_FOOTPRINT = 7;

/** A parsed index block: everything checked once, keys and pointers then read without further checks. */
export class IndexBlock {
  /** Whether the pointers lead to data blocks; else to index blocks. */
  readonly isLeaf: boolean;
  /** Number of entries. */
  readonly count: number;
  private readonly bytes: Uint8Array;
  private readonly keyStarts: Uint32Array;
  private readonly keyEnds: Uint32Array;
  private readonly blockOffsets: Float64Array;
  private readonly blockSizes: Uint32Array;
  /** Bytes that all keys begin with. */
  private shared = 0;
  /** The four bytes of each key behind the shared ones, big-endian, zeros where it ends: most comparisons need no more. */
  private readonly heads: Uint32Array;

  private constructor(bytes: Uint8Array, count: number, isLeaf: boolean) {
    this.bytes = bytes;
    this.count = count;
    this.isLeaf = isLeaf;
    this.keyStarts = new Uint32Array(count);
    this.keyEnds = new Uint32Array(count);
    this.blockOffsets = new Float64Array(count);
    this.blockSizes = new Uint32Array(count);
    this.heads = new Uint32Array(count);
  }

  /**
   * Parses a whole index block; the result keeps `bytes`.
   *
   * The entries must fill the block without a gap, in the order of their keys.
   *
   * @param orderedKeyEnd for keys of which only the beginning ascends
   * @throws CFileError `E_CORRUPT` or `E_TRUNCATED` when the block is malformed, `E_LIMIT` for a key longer than
   *   `limits.maxKeyLength`
   */
  static parse(
    bytes: Uint8Array,
    limits: Pick<Limits, "maxKeyLength"> = DEFAULT_LIMITS,
    orderedKeyEnd?: OrderedKeyEnd,
  ): IndexBlock {
    const { entries, isLeaf, offsetsStart } = parseFrame(bytes);
    const block = new IndexBlock(bytes, entries, isLeaf);
    block.parseEntries(offsetsStart, limits.maxKeyLength, orderedKeyEnd);
    block.readHeads(orderedKeyEnd);
    return block;
  }

  /** Bytes of memory that the block takes. */
  get memory(): number {
    return this.bytes.length + 24 * this.count;
  }

  /** The key of an entry; a view, not to be written to. */
  key(index: number): Uint8Array {
    this.requireEntry(index);
    return this.bytes.subarray(this.keyStarts[index], this.keyEnds[index]);
  }

  /** The block that an entry points to. */
  pointer(index: number): BlockLocation {
    this.requireEntry(index);
    return { offset: this.blockOffsets[index] as number, size: this.blockSizes[index] as number };
  }

  /** Offset of the block that an entry points to. */
  blockOffset(index: number): number {
    this.requireEntry(index);
    return this.blockOffsets[index] as number;
  }

  /** Size of the block that an entry points to. */
  blockSize(index: number): number {
    this.requireEntry(index);
    return this.blockSizes[index] as number;
  }

  /** The last entry whose key is `target` or before it; -1 when there is none. */
  search(target: Uint8Array): number {
    const { bytes, count, heads, keyEnds, keyStarts, shared } = this;
    const order = compareToPrefix(target, bytes, keyStarts[0] ?? 0, shared);
    if (order !== 0) {
      return order < 0 ? -1 : count - 1;
    }
    const head = keyHead(target, shared, target.length);
    let found = -1;
    let after = count;
    while (after - found > 1) {
      const middle = (found + after) >>> 1;
      const own = heads[middle] as number;
      if (
        own < head ||
        (own === head &&
          compareRange(bytes, keyStarts[middle] as number, keyEnds[middle] as number, target) <= 0)
      ) {
        found = middle;
      } else {
        after = middle;
      }
    }
    return found;
  }

  /** Where keys ascend, what the first and the last share, all do. */
  private readHeads(orderedEnd: OrderedKeyEnd | undefined): void {
    const { bytes, count, keyEnds, keyStarts } = this;
    if (count === 0) {
      return;
    }
    const [first, last] = [0, count - 1].map((i) => {
      const start = keyStarts[i] as number;
      const end = keyEnds[i] as number;
      return bytes.subarray(start, orderedEnd === undefined ? end : orderedEnd(bytes, start, end));
    }) as [Uint8Array, Uint8Array];
    this.shared = commonPrefixLength(first, last);
    for (let i = 0; i < count; i++) {
      this.heads[i] = keyHead(bytes, (keyStarts[i] as number) + this.shared, keyEnds[i] as number);
    }
  }

  private requireEntry(index: number): void {
    if (index >>> 0 !== index || index >= this.count) {
      throw invalidArgument(`the index block has ${this.count} entries, none with number ${index}`, {
        field: "index entry",
        actual: index,
      });
    }
  }

  private parseEntries(offsetsStart: number, maxKeyLength: number, orderedEnd?: OrderedKeyEnd): void {
    const reader = new ByteReader(this.bytes, 0, offsetsStart);
    const offsets = new ByteReader(this.bytes, offsetsStart);
    for (let i = 0; i < this.count; i++) {
      const start = reader.position;
      const stated = offsets.u32le("entry offset");
      if (stated !== start) {
        throw corrupt(`entry ${i} is stated at ${stated} and stands at ${start}`, {
          offset: offsets.position - 4,
          field: "entry offset",
          expected: start,
          actual: stated,
        });
      }
      const keyLength = readVarint32(reader, "key length");
      if (keyLength > maxKeyLength) {
        throw new CFileError("E_LIMIT", `a key of ${keyLength} bytes, maxKeyLength is ${maxKeyLength}`, {
          offset: start,
          field: "key length",
          expected: maxKeyLength,
          actual: keyLength,
        });
      }
      this.keyStarts[i] = reader.position;
      reader.skip(keyLength, "key");
      this.keyEnds[i] = reader.position;
      this.blockOffsets[i] = readVarint64(reader, "block pointer offset");
      this.blockSizes[i] = readVarint32(reader, "block pointer size");
      if (i > 0 && this.descends(i, orderedEnd)) {
        throw corrupt(`the key of entry ${i} is before the key of the entry before it`, {
          offset: start,
          field: "key",
        });
      }
    }
    if (reader.remaining > 0) {
      throw corrupt(`${reader.remaining} bytes between the last entry and the entry offsets`, {
        offset: reader.position,
        field: "entry offset",
        expected: reader.position,
        actual: offsetsStart,
      });
    }
  }

  /** Whether key `index` is before its predecessor. Both stand in the same bytes: no view is made. */
  private descends(index: number, orderedEnd?: OrderedKeyEnd): boolean {
    const { bytes } = this;
    let left = this.keyStarts[index - 1] as number;
    let right = this.keyStarts[index] as number;
    let leftEnd = this.keyEnds[index - 1] as number;
    let rightEnd = this.keyEnds[index] as number;
    if (orderedEnd !== undefined) {
      leftEnd = orderedEnd(bytes, left, leftEnd);
      rightEnd = orderedEnd(bytes, right, rightEnd);
    }
    while (left < leftEnd && right < rightEnd) {
      const difference = (bytes[left++] as number) - (bytes[right++] as number);
      if (difference !== 0) {
        return difference > 0;
      }
    }
    return left < leftEnd;
  }
}

/** Trailer and place of the entry offsets; the number of entries fits into the block. */
function parseFrame(bytes: Uint8Array): { entries: number; isLeaf: boolean; offsetsStart: number } {
  const { length } = bytes;
  if (length < LENGTH_WORD + MIN_TRAILER_LENGTH) {
    throw new CFileError("E_TRUNCATED", `an index block of ${length} bytes has no room for a trailer`, {
      offset: 0,
      field: "index trailer",
      expected: LENGTH_WORD + MIN_TRAILER_LENGTH,
      actual: length,
    });
  }
  const trailerEnd = length - LENGTH_WORD;
  const trailerLength = new ByteReader(bytes, trailerEnd).u32le("trailer length");
  if (trailerLength < MIN_TRAILER_LENGTH || trailerLength > trailerEnd) {
    throw corrupt(`an index trailer of ${trailerLength} bytes in a block of ${length}`, {
      offset: trailerEnd,
      field: "trailer length",
      actual: trailerLength,
    });
  }
  const trailerStart = trailerEnd - trailerLength;
  const { entries, isLeaf } = parseIndexTrailer(bytes, trailerStart, trailerEnd);
  if (entries * MIN_ENTRY_FOOTPRINT > trailerStart) {
    throw corrupt(`${entries} entries do not fit into ${trailerStart} bytes`, {
      offset: trailerStart,
      field: "num_entries",
      expected: Math.floor(trailerStart / MIN_ENTRY_FOOTPRINT),
      actual: entries,
    });
  }
  return { entries, isLeaf, offsetsStart: trailerStart - 4 * entries };
}
