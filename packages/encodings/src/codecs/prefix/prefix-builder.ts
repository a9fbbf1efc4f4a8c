/**
 * Builder of prefix blocks (docs/spec/cfile.md#54-prefix): each value is stored as the length of the prefix that it shares with the
 * previous value, and the remaining bytes.
 *
 * | part | coding |
 * | --- | --- |
 * | header | one group varint: count, ordinal, restart interval, 0 |
 * | entries | varint32 shared, varint32 non-shared, the non-shared bytes |
 * | restarts | u32le position of every entry i > 0 with i mod interval = 0, from the start of the block |
 * | tail | u32le number of restarts |
 *
 * Restart entries share no prefix. Entry 0 is a restart entry too, but is not listed.
 */
import { ByteBuilder, commonPrefixLength, invalidOption } from "@cfile/bytes";
import type { PrefixEncode, PrefixEntries, PrefixEntriesTarget, WordStrings } from "@cfile/kernels";
import { portableEncoders } from "@cfile/kernels";
import { writeVarint32 } from "@cfile/varint";
import { writeGroupVarint } from "@cfile/varint/group-varint";
import { MAX_BINARY_BYTES, tooManyBytes } from "../../batch/binary-values.js";
import { copyRange } from "../../batch/copy-range.js";
import type { Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions } from "../block-codec.js";
import { binaryValues, requireInside } from "../builder-input.js";
import { requireOrdinal } from "../headers/count-header.js";
import { TransferableByteBuilder } from "../transferable-byte-builder.js";
import { RESTART_LENGTH } from "./prefix-block.js";

const DEFAULT_RESTART_INTERVAL = 16;

/**
 * A builder of prefix blocks. It stops right after the value that makes the entries exceed the block size.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for a restart interval that is not an integer from 1 to 2^32 - 1
 */
export function createPrefixBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PrefixBuilder(options);
}

/** Maximum bytes of an entry's two lengths, varints of 32 bits. */
const MAX_LENGTH_BYTES = 10;
/** Bytes that suffice for the header, a group varint, and the number of restarts. */
const MAX_HEADER_BYTES = 32;

const addEach: PrefixEncode = (block, strings, from, to) => block.addEach(strings, from, to);

class PrefixBuilder implements BlockBuilder, PrefixEntriesTarget {
  count = 0;
  readonly givesMemory: boolean;
  readonly blockSize: number;
  readonly interval: number;
  /** Number of entries before the next restart; 0 when the next entry is a restart. */
  untilRestart = 0;
  private readonly reuseMemory: boolean;
  private readonly tail: number | undefined;
  private readonly encode: PrefixEncode;
  private readonly entries = new ByteBuilder(1024);
  private readonly block = new TransferableByteBuilder(64);
  /** Positions of the restart entries within `entries`. */
  private readonly restarts: number[] = [];
  /** Copy of the last value: its vector may be overwritten before the next call. */
  private readonly last = new ByteBuilder(64);

  constructor(options: BlockBuilderOptions) {
    const interval = options.restartInterval ?? DEFAULT_RESTART_INTERVAL;
    if (interval >>> 0 !== interval || interval === 0) {
      throw invalidOption("restart interval", interval, "an integer from 1 to 2^32 - 1");
    }
    this.blockSize = options.blockSize;
    this.interval = interval;
    this.reuseMemory = options.reuseMemory ?? false;
    this.tail = options.tail;
    this.givesMemory = options.tail !== undefined;
    this.encode = (options.kernels ?? portableEncoders).prefixEncode(addEach);
  }

  get full(): boolean {
    return this.entries.length > this.blockSize;
  }

  get lastValue(): Uint8Array {
    return this.last.view8();
  }

  get entryBytes(): number {
    return this.entries.length;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  add(vector: Vector, from: number, to: number, whole = false): number {
    const { codes, ...strings } = binaryValues(vector, from, to);
    return codes === undefined && !whole
      ? this.encode(this, strings, from, to)
      : this.addEach(strings, from, to, codes, whole);
  }

  addEach(strings: WordStrings, from: number, to: number, codes?: Int32Array, whole = false): number {
    const { offsets, data } = strings;
    const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    let previousStart = -1;
    let previousEnd = -1;
    let next = from;
    try {
      while (next < to && (whole || !this.full)) {
        const index = codes === undefined ? next : (codes[next] as number);
        const start = offsets[index] as number;
        const end = offsets[index + 1] as number;
        requireInside(start, end, data, next);
        let shared = 0;
        if (this.untilRestart > 0) {
          shared =
            previousStart < 0
              ? commonPrefixLength(this.last.view8(), data.subarray(start, end))
              : sharedLength(view, previousStart, previousEnd, start, end);
        } else if (this.count > 0) {
          this.restarts.push(this.entries.length);
        }
        this.putEntry(shared, data, start + shared, end);
        previousStart = start;
        previousEnd = end;
        next++;
      }
    } finally {
      if (next > from) {
        this.keepLast(data, previousStart, previousEnd);
      }
    }
    return next - from;
  }

  take(added: PrefixEntries, { offsets, data }: WordStrings, from: number): number {
    const { entries, interval } = this;
    if (entries.length + added.bytes.length > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    const { taken } = added;
    entries.append(added.bytes);
    for (const restart of added.restarts) {
      this.restarts.push(restart);
    }
    this.count += taken;
    // Entry i restarts when i is a multiple of the interval.
    this.untilRestart = (interval - (this.count % interval)) % interval;
    this.keepLast(data, offsets[from + taken - 1] as number, offsets[from + taken] as number);
    return taken;
  }

  private keepLast(data: Uint8Array, start: number, end: number): void {
    this.last.clear();
    this.last.append(data.subarray(start, end));
  }

  private putEntry(shared: number, data: Uint8Array, start: number, end: number): void {
    const { entries } = this;
    const rest = end - start;
    if (entries.length + rest > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    const buffer = entries.reserve(rest + MAX_LENGTH_BYTES);
    if ((shared | rest) < 0x80) {
      buffer[entries.length] = shared;
      buffer[entries.length + 1] = rest;
      entries.length += 2;
    } else {
      writeVarint32(entries, shared);
      writeVarint32(entries, rest);
    }
    copyRange(data, start, end, buffer, entries.length);
    entries.length += rest;
    this.count++;
    this.untilRestart = this.untilRestart === 0 ? this.interval - 1 : this.untilRestart - 1;
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { block, entries, restarts } = this;
    block.reserve(entries.length + RESTART_LENGTH * restarts.length + MAX_HEADER_BYTES + (this.tail ?? 0));
    writeGroupVarint(block, this.count, ordinal, this.interval, 0);
    const entriesStart = block.length;
    block.append(entries.view8());
    for (const restart of restarts) {
      block.u32le(entriesStart + restart);
    }
    block.u32le(restarts.length);
    entries.clear();
    this.last.clear();
    restarts.length = 0;
    this.count = 0;
    this.untilRestart = 0;
    return this.tail === undefined ? block.take(this.reuseMemory) : block.transfer(this.tail);
  }
}

/** Length of the common prefix of two ranges of the view, which start at `a` and at `b`. */
function sharedLength(view: DataView, a: number, aEnd: number, b: number, bEnd: number): number {
  const max = Math.min(aEnd - a, bEnd - b);
  let shared = 0;
  while (shared + 4 <= max) {
    const difference = view.getInt32(a + shared, true) ^ view.getInt32(b + shared, true);
    if (difference !== 0) {
      return shared + ((31 - Math.clz32(difference & -difference)) >>> 3);
    }
    shared += 4;
  }
  while (shared < max && view.getUint8(a + shared) === view.getUint8(b + shared)) {
    shared++;
  }
  return shared;
}
