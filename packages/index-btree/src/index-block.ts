/**
 * An index block, the node of an index tree (docs/spec/cfile.md#71-index-block), without compression wrapper and checksum.
 *
 * | part | coding |
 * | --- | --- |
 * | n entries | each: varint32 key length, key, varint64 block offset, varint32 block size |
 * | n offsets | u32le, start of each entry |
 * | trailer | protobuf `IndexTrailer`: n, leaf or internal |
 * | trailer length | u32le; does not count itself |
 */
import {
  type BlockLocation,
  ByteReader,
  CFileError,
  commonPrefixLength,
  compareRange,
  compareToPrefix,
  compareWithin,
  corrupt,
  DEFAULT_LIMITS,
  invalidArgument,
  keyHead,
  type Limits,
} from "@cfile/bytes";
import { readVarint32, readVarint64 } from "@cfile/varint";
import { parseIndexTrailer } from "./index-trailer.js";
import { type OrderedKeyEnd, orderedPart } from "./index-tree-options.js";

const LENGTH_WORD = 4;
/** Kudu's trailers have 4 bytes; its reader rejects shorter ones. */
const MIN_TRAILER_LENGTH = 4;
/** An entry with an empty key takes three bytes, its offset four. */
const MIN_ENTRY_SIZE = 7;

/** A parsed index block. It is checked completely when it is parsed. */
export class IndexBlock {
  /** Whether entries point to data blocks rather than index blocks. */
  readonly isLeaf: boolean;
  /** Number of entries. */
  readonly count: number;
  private readonly bytes: Uint8Array;
  private readonly keyStarts: Uint32Array;
  private readonly keyEnds: Uint32Array;
  private readonly blockOffsets: Float64Array;
  private readonly blockSizes: Uint32Array;
  /** Length of the common prefix of all keys. */
  private shared = 0;
  /** The four bytes of each key after that prefix, big-endian, padded with zeros. They decide most comparisons. */
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
   * Parses a whole index block, whose entries must follow each other without gaps, in key order. The result refers to `bytes`.
   *
   * @param orderedKeyEnd for keys with an ordered prefix
   * @throws {CFileError} `E_CORRUPT` or `E_TRUNCATED` when the block is malformed; `E_LIMIT` for a key longer than
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

  /** Memory of the block in bytes. */
  get memory(): number {
    return this.bytes.length + 24 * this.count;
  }

  /** The key of an entry, a read-only view. This and the following methods throw `E_INVALID_ARGUMENT` for an index out of range. */
  key(index: number): Uint8Array {
    this.requireEntry(index);
    return this.bytes.subarray(this.keyStarts[index], this.keyEnds[index]);
  }

  /** The block that an entry points to. */
  pointer(index: number): BlockLocation {
    return { offset: this.blockOffset(index), size: this.blockSize(index) };
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

  /** The last entry whose key is at most `target`; -1 if all are larger. */
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

  /** Reads the heads of all keys. Keys ascend, so the common prefix of the first and last key is common to all. */
  private readHeads(orderedEnd: OrderedKeyEnd | undefined): void {
    const { bytes, count, heads, keyEnds, keyStarts } = this;
    if (count > 0) {
      const last = orderedPart(this.key(count - 1), orderedEnd);
      this.shared = commonPrefixLength(orderedPart(this.key(0), orderedEnd), last);
    }
    for (let i = 0; i < count; i++) {
      heads[i] = keyHead(bytes, (keyStarts[i] as number) + this.shared, keyEnds[i] as number);
    }
  }

  private requireEntry(index: number): void {
    if (index >>> 0 !== index || index >= this.count) {
      const reason = `invalid index entry: ${index} (the block has ${this.count} entries)`;
      throw invalidArgument(reason, { field: "index entry", actual: index });
    }
  }

  private parseEntries(offsetsStart: number, maxKeyLength: number, orderedEnd?: OrderedKeyEnd): void {
    const reader = new ByteReader(this.bytes, 0, offsetsStart);
    const offsets = new ByteReader(this.bytes, offsetsStart);
    for (let i = 0; i < this.count; i++) {
      const start = reader.position;
      const stated = offsets.u32le("entry offset");
      if (stated !== start) {
        const details = {
          offset: offsets.position - 4,
          field: "entry offset",
          expected: start,
          actual: stated,
        };
        throw corrupt(`offset mismatch of entry ${i} (expected ${start}, found ${stated})`, details);
      }
      const keyLength = readVarint32(reader, "key length");
      if (keyLength > maxKeyLength) {
        const reason = `key of ${keyLength} bytes exceeds maxKeyLength (${maxKeyLength})`;
        const details = { offset: start, field: "key length", expected: maxKeyLength, actual: keyLength };
        throw new CFileError("E_LIMIT", reason, details);
      }
      this.keyStarts[i] = reader.position;
      reader.skip(keyLength, "key");
      this.keyEnds[i] = reader.position;
      this.blockOffsets[i] = readVarint64(reader, "block pointer offset");
      this.blockSizes[i] = readVarint32(reader, "block pointer size");
      if (i > 0 && this.descends(i, orderedEnd)) {
        throw corrupt(`key of entry ${i} is before the previous key`, { offset: start, field: "key" });
      }
    }
    const { position: offset, remaining } = reader;
    if (remaining > 0) {
      const details = { offset, field: "entry offset", expected: offset, actual: offsetsStart };
      throw corrupt(`${remaining} unexpected bytes between the last entry and the entry offsets`, details);
    }
  }

  /** Whether key `index` is before its predecessor, without a view of either. */
  private descends(index: number, orderedEnd?: OrderedKeyEnd): boolean {
    const { bytes, keyStarts, keyEnds } = this;
    const left = keyStarts[index - 1] as number;
    const right = keyStarts[index] as number;
    let leftEnd = keyEnds[index - 1] as number;
    let rightEnd = keyEnds[index] as number;
    if (orderedEnd !== undefined) {
      leftEnd = orderedEnd(bytes, left, leftEnd);
      rightEnd = orderedEnd(bytes, right, rightEnd);
    }
    return compareWithin(bytes, left, leftEnd, right, rightEnd) > 0;
  }
}

/** Parses the trailer, checks that its number of entries fits into the block, and locates the entry offsets. */
function parseFrame(bytes: Uint8Array): { entries: number; isLeaf: boolean; offsetsStart: number } {
  const { length } = bytes;
  if (length < LENGTH_WORD + MIN_TRAILER_LENGTH) {
    const expected = LENGTH_WORD + MIN_TRAILER_LENGTH;
    const details = { offset: 0, field: "index trailer", expected, actual: length };
    throw new CFileError("E_TRUNCATED", `index block of ${length} bytes has no room for a trailer`, details);
  }
  const trailerEnd = length - LENGTH_WORD;
  const trailerLength = new ByteReader(bytes, trailerEnd).u32le("trailer length");
  if (trailerLength < MIN_TRAILER_LENGTH || trailerLength > trailerEnd) {
    const details = { offset: trailerEnd, field: "trailer length", actual: trailerLength };
    throw corrupt(`invalid trailer length: ${trailerLength} in an index block of ${length} bytes`, details);
  }
  const trailerStart = trailerEnd - trailerLength;
  const { entries, isLeaf } = parseIndexTrailer(bytes, trailerStart, trailerEnd);
  if (entries * MIN_ENTRY_SIZE > trailerStart) {
    const expected = Math.floor(trailerStart / MIN_ENTRY_SIZE);
    const details = { offset: trailerStart, field: "num_entries", expected, actual: entries };
    throw corrupt(
      `invalid num_entries: ${entries} (${trailerStart} bytes hold at most ${expected})`,
      details,
    );
  }
  return { entries, isLeaf, offsetsStart: trailerStart - 4 * entries };
}
