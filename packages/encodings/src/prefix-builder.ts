/**
 * Builder of prefix blocks (specification 5.4): each value as what it shares with the one before it, and the rest.
 *
 * | part | coding |
 * | --- | --- |
 * | header | one group varint: count, ordinal, restart interval, 0 |
 * | entries | varint32 shared, varint32 non-shared, the non-shared bytes |
 * | restarts | u32le position of every entry i > 0 with i mod interval = 0, from the start of the block |
 * | tail | u32le number of restarts |
 *
 * Restart entries share nothing. Entry 0 is one too, but is not listed.
 */
import { ByteBuilder, invalidArgument } from "@cfile/bytes";
import { writeGroupVarint, writeVarint32 } from "@cfile/varint";
import { binaryValues, MAX_BINARY_BYTES, misplacedValue, tooManyBytes } from "./binary-values.js";
import type { BlockBuilder, BlockBuilderOptions } from "./block-codec.js";
import { copyRange } from "./copy-range.js";
import { requireOrdinal } from "./ordinal.js";
import type { Vector } from "./vector.js";

const DEFAULT_RESTART_INTERVAL = 16;

/** Bytes of a restart's position. */
export const RESTART_LENGTH = 4;

/**
 * A builder of prefix blocks. It stops right after the value with which the entries exceed the block size.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for a restart interval that is not an integer of 1 to 2^32 - 1
 */
export function createPrefixBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PrefixBuilder(options);
}

class PrefixBuilder implements BlockBuilder {
  private readonly blockSize: number;
  private readonly interval: number;
  private readonly entries = new ByteBuilder(1024);
  /** Positions of the restart entries within `entries`. */
  private readonly restarts: number[] = [];
  private values = 0;
  /** Copy of the last value: the vector it came from may be gone by the next call. */
  private readonly last = new ByteBuilder(64);

  constructor(options: BlockBuilderOptions) {
    const interval = options.restartInterval ?? DEFAULT_RESTART_INTERVAL;
    if (interval >>> 0 !== interval || interval === 0) {
      throw invalidArgument(`a restart interval of ${interval}`, {
        field: "restart interval",
        actual: interval,
      });
    }
    this.blockSize = options.blockSize;
    this.interval = interval;
  }

  get count(): number {
    return this.values;
  }

  get full(): boolean {
    return this.entries.length > this.blockSize;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    return to - from;
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for anything but strings, `E_LIMIT` above 2 GiB */
  add(vector: Vector, from: number, to: number, whole = false): number {
    const { codes, offsets, data } = binaryValues(vector, from, to);
    let previous = this.last.view8();
    let previousStart = 0;
    let previousEnd = previous.length;
    let next = from;
    try {
      while (next < to && (whole || !this.full)) {
        const index = codes === undefined ? next : (codes[next] as number);
        const start = offsets[index] as number;
        const end = offsets[index + 1] as number;
        if (!(start >= 0 && start <= end && end <= data.length)) {
          throw misplacedValue(next);
        }
        let shared = 0;
        if (this.values % this.interval !== 0) {
          const most = Math.min(previousEnd - previousStart, end - start);
          while (shared < most && previous[previousStart + shared] === data[start + shared]) {
            shared++;
          }
        }
        this.putEntry(shared, data, start + shared, end);
        previous = data;
        previousStart = start;
        previousEnd = end;
        next++;
      }
    } finally {
      if (next > from) {
        this.last.clear();
        this.last.append(data.subarray(previousStart, previousEnd));
      }
    }
    return next - from;
  }

  private putEntry(shared: number, data: Uint8Array, start: number, end: number): void {
    const { entries } = this;
    if (entries.length + (end - start) > MAX_BINARY_BYTES) {
      throw tooManyBytes("block");
    }
    if (this.values > 0 && this.values % this.interval === 0) {
      this.restarts.push(entries.length);
    }
    writeVarint32(entries, shared);
    writeVarint32(entries, end - start);
    copyRange(data, start, end, entries.reserve(end - start), entries.length);
    entries.length += end - start;
    this.values++;
  }

  finish(ordinal: number): Uint8Array {
    requireOrdinal(ordinal);
    const { entries, restarts } = this;
    const block = new ByteBuilder(entries.length + RESTART_LENGTH * (restarts.length + 1) + 32);
    writeGroupVarint(block, this.values, ordinal, this.interval, 0);
    const entriesStart = block.length;
    block.append(entries.view8());
    for (const restart of restarts) {
      block.u32le(entriesStart + restart);
    }
    block.u32le(restarts.length);
    entries.clear();
    this.last.clear();
    restarts.length = 0;
    this.values = 0;
    return block.finish();
  }
}
