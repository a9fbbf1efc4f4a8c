/** Decoder of prefix blocks (docs/spec/cfile.md#54-prefix); see `prefix-builder.ts` for their layout. */
import { type BlockMemory, ByteReader, compareRange, freshMemory } from "@cfile/bytes";
import type { DecodedStrings, PrefixDecode, StoredPrefixes } from "@cfile/kernels";
import { portableDecoders } from "@cfile/kernels";
import { readVarint32 } from "@cfile/varint";
import { readGroupVarint } from "@cfile/varint/group-varint";
import { MAX_BINARY_BYTES, tooManyBytes } from "../../batch/binary-values.js";
import { copyRange } from "../../batch/copy-range.js";
import { partitionPoint, requireBytes } from "../../keys/seek-target.js";
import { aboveLimit, badField, DECODED, requireRange } from "../../types/checks.js";
import type { BinaryVector } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext, SeekPosition, SeekTarget } from "../block-codec.js";
import { DEFAULT_MAX_DECODED_BYTES } from "../block-codec.js";

/** Bytes of a restart's position. */
export const RESTART_LENGTH = 4;

/** Minimum bytes of an entry: its two lengths. */
const MIN_ENTRY_LENGTH = 2;

type PrefixContext = Pick<DecodeContext, "maxDecodedBytes" | "kernels" | "memory">;

/**
 * Opens a prefix block.
 *
 * @param context `maxDecodedBytes` bounds the result of one call of `decode`: shared prefixes can make the values far larger
 *   than the block. Default 256 MiB; never more than 2 GiB
 * @throws {CFileError} `E_TRUNCATED` or `E_CORRUPT` when header, restarts and tail do not fit the bytes
 */
export function openPrefixBlock(bytes: Uint8Array, context: PrefixContext = {}): BlockDecoder {
  return new PrefixBlock(bytes, context);
}

const decodeEach: PrefixDecode = (block) => block.decodeEntries(0, block.count);

class PrefixBlock implements BlockDecoder, StoredPrefixes {
  readonly ordinal: number;
  readonly count: number;
  readonly bytes: Uint8Array;
  readonly maxDecodedBytes: number;
  readonly interval: number;
  readonly entriesStart: number;
  readonly entriesEnd: number;
  private readonly decodeAll: PrefixDecode;
  private readonly memory: BlockMemory;
  private readonly view: DataView;
  /** Reads entries; its end is the start of the restarts. */
  private readonly reader: ByteReader;
  /** Number of listed restarts. */
  private readonly restarts: number;
  /** The entry at the position of `reader`; -1 while the position is undefined. */
  private next = -1;
  /** The value before entry `next`: its first `lastLength` bytes. */
  private last = new Uint8Array(64);
  private lastLength = 0;
  /** Lengths of the entry read last. */
  private shared = 0;
  private nonShared = 0;

  constructor(bytes: Uint8Array, context: PrefixContext) {
    if (bytes.length > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    const reader = new ByteReader(bytes);
    const header = new Uint32Array(4);
    readGroupVarint(reader, header, 0, "header");
    this.bytes = bytes;
    this.maxDecodedBytes = Math.min(context.maxDecodedBytes ?? DEFAULT_MAX_DECODED_BYTES, MAX_BINARY_BYTES);
    this.decodeAll = (context.kernels ?? portableDecoders).prefixDecode(decodeEach);
    this.memory = context.memory ?? freshMemory;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = header[0] as number;
    this.ordinal = header[1] as number;
    this.interval = header[2] as number;
    this.entriesStart = reader.position;
    if (this.interval === 0) {
      throw badField("restart interval", 0, 0, "at least 1");
    }
    reader.require(RESTART_LENGTH, "number of restarts");
    const tail = bytes.length - RESTART_LENGTH;
    this.restarts = this.view.getUint32(tail, true);
    const expected = Math.floor(Math.max(this.count - 1, 0) / this.interval);
    if (this.restarts !== expected) {
      throw badField("number of restarts", tail, this.restarts, expected);
    }
    reader.require(this.restarts * RESTART_LENGTH + RESTART_LENGTH, "restarts");
    this.entriesEnd = tail - this.restarts * RESTART_LENGTH;
    this.reader = new ByteReader(bytes, this.entriesStart, this.entriesEnd);
    this.reader.require(this.count * MIN_ENTRY_LENGTH, "entries");
    this.checkRestarts();
  }

  private checkRestarts(): void {
    let previous = this.entriesStart;
    for (let restart = 1; restart <= this.restarts; restart++) {
      const position = this.restartPosition(restart);
      if (position <= previous || position >= this.entriesEnd) {
        const expected = `between ${previous} and ${this.entriesEnd}`;
        throw badField("restart", this.entriesEnd + (restart - 1) * RESTART_LENGTH, position, expected);
      }
      previous = position;
    }
  }

  /** Position of the entry `restart * interval`. */
  private restartPosition(restart: number): number {
    return restart === 0
      ? this.entriesStart
      : this.view.getUint32(this.entriesEnd + (restart - 1) * RESTART_LENGTH, true);
  }

  decode(from: number, to: number): BinaryVector {
    requireRange(from, to, this.count);
    const length = to - from;
    if (length === 0) {
      return { kind: "binary", length, offsets: new Int32Array(1), data: new Uint8Array(0) };
    }
    const all = length === this.count;
    const { offsets, data } = all ? this.decodeAll(this, this.memory) : this.decodeEntries(from, to);
    return { kind: "binary", length, offsets, data };
  }

  /** {@link decode} entry by entry; for at least one entry. */
  decodeEntries(from: number, to: number): DecodedStrings {
    const length = to - from;
    this.goTo(from);
    // An invalid entry leaves the reader at an undefined position.
    this.next = -1;
    const offsets = new Int32Array(length + 1);
    const sharedLengths = new Int32Array(length);
    const restStarts = new Int32Array(length);
    let total = 0;
    for (let i = 0, lastLength = this.lastLength; i < length; i++) {
      this.readEntry(from + i, lastLength);
      sharedLengths[i] = this.shared;
      restStarts[i] = this.reader.position - this.nonShared;
      lastLength = this.shared + this.nonShared;
      total += lastLength;
      if (total > this.maxDecodedBytes) {
        throw aboveLimit("values", total, this.maxDecodedBytes, this.reader.position, DECODED);
      }
      offsets[i + 1] = total;
    }
    const data = new Uint8Array(total);
    let previous: Uint8Array = this.last;
    let previousStart = 0;
    for (let i = 0; i < length; i++) {
      const start = offsets[i] as number;
      const end = offsets[i + 1] as number;
      const rest = restStarts[i] as number;
      const restTarget = start + (sharedLengths[i] as number);
      copyRange(previous, previousStart, previousStart + restTarget - start, data, start);
      copyRange(this.bytes, rest, rest + end - restTarget, data, restTarget);
      previous = data;
      previousStart = start;
    }
    this.keepLast(data, previousStart, total, 0);
    this.next = to;
    return { offsets, data };
  }

  check(): void {
    for (this.rewind(0); this.next < this.count; ) {
      this.step();
    }
    this.checkEnd();
  }

  seek(target: SeekTarget): SeekPosition {
    const wanted = requireBytes(target);
    const { reader, count } = this;
    const groups = count === 0 ? 0 : this.restarts + 1;
    const group = partitionPoint(groups, (restart) => {
      this.rewind(restart);
      this.next = -1;
      this.readEntry(restart * this.interval, 0);
      return compareRange(this.bytes, reader.position - this.nonShared, reader.position, wanted) < 0;
    });
    for (this.rewind(Math.max(0, group - 1)); this.next < count; ) {
      this.step();
      const order = compareRange(this.last, 0, this.lastLength, wanted);
      if (order >= 0) {
        return { position: this.next - 1, exact: order === 0 };
      }
    }
    return { position: count, exact: false };
  }

  /** Moves the reader to entry `index`, from its position or from the restart before `index`. */
  private goTo(index: number): void {
    const restart = Math.floor(index / this.interval);
    if (this.next > index || this.next < restart * this.interval) {
      this.rewind(restart);
    }
    while (this.next < index) {
      this.step();
    }
  }

  private rewind(restart: number): void {
    this.reader.position = this.restartPosition(restart);
    this.next = restart * this.interval;
    this.lastLength = 0;
  }

  /** Reads entry `next` and keeps its value. */
  private step(): void {
    const index = this.next;
    this.next = -1;
    this.readEntry(index, this.lastLength);
    const { position } = this.reader;
    this.keepLast(this.bytes, position - this.nonShared, position, this.shared);
    this.next = index + 1;
  }

  /** Replaces the bytes of the last value, starting at `shared`, with `source[start..end)`. */
  private keepLast(source: Uint8Array, start: number, end: number, shared: number): void {
    const length = shared + end - start;
    if (length > this.last.length) {
      const grown = new Uint8Array(Math.max(length, 2 * this.last.length));
      grown.set(this.last.subarray(0, shared));
      this.last = grown;
    }
    copyRange(source, start, end, this.last, shared);
    this.lastLength = length;
  }

  /** Reads the lengths of entry `index` and skips its bytes. */
  private readEntry(index: number, lastLength: number): void {
    const { reader, bytes } = this;
    const start = reader.position;
    const shared = bytes[start] as number;
    const nonShared = bytes[start + 1] as number;
    if (start + MIN_ENTRY_LENGTH <= reader.end && (shared | nonShared) < 0x80) {
      reader.position = start + MIN_ENTRY_LENGTH;
      this.shared = shared;
      this.nonShared = nonShared;
    } else {
      this.shared = readVarint32(reader, "shared length");
      this.nonShared = readVarint32(reader, "non-shared length");
    }
    reader.skip(this.nonShared, "non-shared bytes");
    if (this.shared > lastLength) {
      throw badField("shared length", start, this.shared, `at most ${lastLength}`, `entry ${index}`);
    }
    if (index % this.interval === 0) {
      this.checkRestartEntry(index, start);
    }
    if (index === this.count - 1) {
      this.checkEnd();
    }
  }

  private checkRestartEntry(index: number, position: number): void {
    const expected = this.restartPosition(index / this.interval);
    if (position !== expected) {
      throw badField("restart", position, position, expected, `entry ${index}`);
    }
    if (this.shared !== 0) {
      throw badField("shared length", position, this.shared, 0, `restart entry ${index}`);
    }
  }

  private checkEnd(): void {
    const { position, end } = this.reader;
    if (position !== end) {
      throw badField("entries", position, position, end);
    }
  }
}
