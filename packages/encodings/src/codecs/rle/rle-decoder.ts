/**
 * RLE decoder: reads the hybrid of repeated and literal runs (docs/spec/cfile.md#18-rle-stream; see `rle-encoder.ts` for the
 * layout) with a cursor, so that consecutive reads are one pass over the stream.
 *
 * The stream does not record how many values it holds. A literal run counts in groups of eight; the data of the last
 * group can stop up to seven values early.
 */
import type { BlockMemory } from "@cfile/bytes";
import { ByteReader, CFileError, copyBits, invalidOption, setBitRange } from "@cfile/bytes";
import type { StoredRuns } from "@cfile/kernels";
import { readVarint32 } from "@cfile/varint";
import { copyRange } from "../../batch/copy-range.js";
import { badField, requireRange } from "../../types/checks.js";
import { bytesOf, type FixedValues } from "../../types/vector.js";
import { packedByteLength, requireElements, requireWidth, unpackWords } from "./bit-packing.js";
import { fillWords, integersIn, integerWords } from "./integer-words.js";
import { RunCheckpoints } from "./run-checkpoints.js";

/**
 * A cursor over one stream.
 *
 * @throws {CFileError} from all methods that advance. `E_TRUNCATED`: the stream holds fewer values, or a run exceeds its end.
 *   `E_CORRUPT`: a run of no values, a header above 2^31 - 1 or of more than five bytes, a repeated value wider than the width.
 */
export class RleDecoder implements StoredRuns {
  /** Bits per value, 1 to 64. */
  readonly width: number;
  readonly bytes: Uint8Array;
  private readonly reader: ByteReader;
  private consumed = 0;
  /** Unread values of the current run. */
  private left = 0;
  private literal = false;
  /** The repeated value. */
  private low = 0;
  private high = 0;
  /** Body of the literal run, and the number of values read from it. */
  private body = 0;
  private bodyEnd = 0;
  private used = 0;
  /** Start of the current run's header. */
  private runStart = 0;
  /** For {@link seek}. */
  private readonly checkpoints: RunCheckpoints;

  /** @param bytes the stream is `bytes[start..end)`; error offsets count from byte 0 */
  constructor(bytes: Uint8Array, start: number, end: number, width: number) {
    requireWidth(width);
    this.bytes = bytes;
    this.reader = new ByteReader(bytes, start, end);
    this.checkpoints = new RunCheckpoints(start);
    this.width = width;
  }

  /** Number of values read or skipped so far. */
  get position(): number {
    return this.consumed;
  }

  /** Whether every byte of the stream belongs to the values read so far: only padding bits are left. */
  get atEnd(): boolean {
    const runEnded = this.literal
      ? this.body + packedByteLength(this.used, this.width) === this.bodyEnd
      : this.left === 0;
    return runEnded && this.reader.remaining === 0;
  }

  /** The run of the next value: how many of its values are left (at least 1), and whether they are equal. */
  nextRun(): { readonly length: number; readonly repeated: boolean } {
    this.requireRun();
    return { length: this.left, repeated: !this.literal };
  }

  nextValue(): { readonly start: number; readonly skipped: number } {
    return this.left > 0
      ? { start: this.runStart, skipped: this.used }
      : { start: this.reader.position, skipped: 0 };
  }

  leap(count: number, start: number, used: number): void {
    this.moveToRun(start, this.consumed + count - used);
    this.checkpoints.addNext();
    this.skip(used);
  }

  /**
   * Skips `count` values; the cost depends only on the number of runs.
   *
   * @throws {CFileError} also `E_INVALID_ARGUMENT` unless `count` is an integer >= 0
   */
  skip(count: number): void {
    if (!(Number.isSafeInteger(count) && count >= 0)) {
      throw invalidOption("count", count, "an integer >= 0");
    }
    while (count > 0) {
      count -= this.advance(count);
    }
  }

  /** Moves to the value at `position`, forward or back. Going back starts at the last checkpoint before it. */
  seek(position: number): void {
    const { start, value } = this.checkpoints.before(position);
    if (position < this.consumed || value > this.consumed) {
      this.moveToRun(start, value);
    }
    this.skip(position - this.consumed);
  }

  /** Moves to the run that starts at byte `start` and value `position`. */
  private moveToRun(start: number, position: number): void {
    this.reader.position = start;
    this.consumed = position;
    this.left = 0;
    this.literal = false;
  }

  /**
   * Reads `count` values into `output[outputStart..)`. Elements as wide as the values receive all their bits, signed or unsigned
   * by the array's type; in wider elements, values are unsigned.
   *
   * @throws {CFileError} also `E_INVALID_ARGUMENT` when the elements are too narrow or too few
   */
  decodeInto(output: FixedValues, outputStart: number, count: number): void {
    requireElements(output, this.width);
    requireRange(outputStart, outputStart + count, output.length);
    const words = integerWords(output);
    const size = output.BYTES_PER_ELEMENT;
    const target = size * 8 === this.width ? bytesOf(output) : undefined;
    const end = outputStart + count;
    while (outputStart < end) {
      const length = this.advance(end - outputStart);
      const first = this.used - length;
      if (!this.literal) {
        fillWords(words, outputStart, outputStart + length, this.low, this.high);
      } else if (target === undefined) {
        const { body, bytes, width } = this;
        unpackWords({ bytes, body, width }, first, words, outputStart, outputStart + length);
      } else {
        const from = this.body + first * size;
        copyRange(this.bytes, from, from + length * size, target, outputStart * size);
      }
      outputStart += length;
    }
  }

  /** The next `count` values in new memory: a bitmap, or integers of 8, 16, 32 or 64 bits. */
  read(count: number, memory: BlockMemory): ArrayBuffer {
    const length = Math.ceil((count * this.width) / 8);
    const buffer = memory.take(length, this.width === 1);
    if (this.width === 1) {
      this.decodeBits(new Uint8Array(buffer, 0, length), 0, count);
    } else {
      this.decodeInto(integersIn(buffer, this.width, count), 0, count);
    }
    return buffer;
  }

  /**
   * Reads `count` values of width 1 as bits `bitStart..` of `bitmap`, which must be zero there.
   *
   * @throws {CFileError} also `E_INVALID_ARGUMENT` for another width, or a bitmap with fewer bits
   */
  decodeBits(bitmap: Uint8Array, bitStart: number, count: number): void {
    if (this.width !== 1) {
      throw invalidOption("width", this.width, "1");
    }
    requireRange(bitStart, bitStart + count, bitmap.length * 8);
    const end = bitStart + count;
    while (bitStart < end) {
      const length = this.advance(end - bitStart);
      if (this.literal) {
        const body = this.bytes.subarray(this.body, this.bodyEnd);
        copyBits(body, this.used - length, bitmap, bitStart, length);
      } else if (this.low === 1) {
        setBitRange(bitmap, bitStart, bitStart + length);
      }
      bitStart += length;
    }
  }

  /** Reads or skips up to `limit` values of the current run; returns how many. */
  private advance(limit: number): number {
    this.requireRun();
    const length = Math.min(limit, this.left);
    this.left -= length;
    this.used += length;
    this.consumed += length;
    return length;
  }

  /** Opens the next run unless the current one has values left. An invalid run is not skipped. */
  private requireRun(): void {
    if (this.left > 0) {
      return;
    }
    const { reader } = this;
    const start = reader.position;
    if (reader.remaining === 0) {
      const reason = `the RLE stream ends after ${this.consumed} values`;
      throw new CFileError("E_TRUNCATED", reason, { offset: start, field: "RLE stream" });
    }
    const byte = this.bytes[start] as number;
    // Most headers are one byte.
    if (byte < 0x80) {
      reader.position++;
    }
    this.openRun(start, byte < 0x80 ? byte : readVarint32(reader, "run header"));
  }

  /** Opens the run whose header was read at `start`. */
  private openRun(start: number, header: number): void {
    try {
      if (header > 0x7fffffff || header < 2) {
        throw badField("run header", start, header, "2 to 2^31 - 1");
      }
      if ((header & 1) === 1) {
        this.openLiteral(header >>> 1);
      } else {
        this.openRepeated(header >>> 1);
      }
    } catch (error) {
      this.reader.position = start;
      throw error;
    }
    this.runStart = start;
    this.used = 0;
    this.checkpoints.pass(start, this.consumed);
  }

  private openLiteral(groups: number): void {
    const { reader, width } = this;
    const values = groups * 8;
    reader.require(packedByteLength(values - 7, width), "literal run");
    this.body = reader.position;
    const length = Math.min(groups * width, reader.remaining);
    reader.skip(length, "literal run");
    this.bodyEnd = reader.position;
    this.literal = true;
    this.left = Math.min(values, Math.floor((length * 8) / width));
  }

  private openRepeated(count: number): void {
    const { bytes, reader, width } = this;
    const start = reader.position;
    const length = (width + 7) >>> 3;
    reader.skip(length, "repeated value");
    let low = 0;
    let high = 0;
    for (let i = 0; i < length; i++) {
      if (i < 4) {
        low |= (bytes[start + i] as number) << (8 * i);
      } else {
        high |= (bytes[start + i] as number) << (8 * i - 32);
      }
    }
    const excess = width > 32 ? width < 64 && high >>> (width - 32) !== 0 : width < 32 && low >>> width !== 0;
    if (excess) {
      throw badField("repeated value", start, low >>> 0, `${width} bits`);
    }
    this.low = low;
    this.high = high;
    this.literal = false;
    this.left = count;
  }
}
