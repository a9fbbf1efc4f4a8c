/**
 * RLE encoder: the hybrid of repeated and literal runs (docs/spec/cfile.md#18-rle-stream) of RLE blocks, null bitmaps and
 * array element numbers. Its output is byte-identical to Kudu's.
 *
 * | run | header (LEB128) | body |
 * | --- | --- | --- |
 * | repeated | `count << 1` | one value, `ceil(width / 8)` bytes, little-endian |
 * | literal | `groups << 1 \| 1`, one byte, 1 to 63 groups | `groups * 8` bit-packed values; the stream's last run stops early |
 *
 * Values are taken in groups of eight, counted from the end of the last run. A group of equal values starts a
 * repeated run, which then takes every further equal value; any other group joins the open literal run.
 */
import { ByteBuilder, findBit, getBit, invalidOption } from "@cfile/bytes";
import { writeVarint32 } from "@cfile/varint";
import { requireRange } from "../../types/checks.js";
import { bytesOf, type FixedValues } from "../../types/vector.js";
import { packWords, requireWidth } from "./bit-packing.js";
import { type IntegerWords, integerWords } from "./integer-words.js";
import { bitGroup, endOfRun, GROUP, isBitRun, isRun } from "./value-groups.js";

/** Maximum groups of a literal run: its header is one byte. */
const MAX_LITERAL_GROUPS = 63;

/** Maximum values of a repeated run: its header is a non-negative 32-bit integer. */
const MAX_REPEATED = 2 ** 30 - 1;

/**
 * Encodes values of one width into one stream.
 *
 * @throws {CFileError} from all methods: `E_INVALID_ARGUMENT` for values that do not fit the width, and for ranges outside
 *   the array
 */
export class RleEncoder {
  /** Bits per value, 1 to 64. */
  readonly width: number;
  private readonly out = new ByteBuilder();
  private readonly lowMask: number;
  private readonly highMask: number;
  /** Values of an incomplete group, low and high word each. */
  private readonly staged = new Int32Array(2 * GROUP);
  private readonly stagedWords: IntegerWords = { words: this.staged, perValue: 2 };
  private stagedCount = 0;
  /** Length of the open repeated run, 0 or at least 8, and its value. */
  private repeated = 0;
  private low = 0;
  private high = 0;
  /** Groups of the open literal run, or 0, and the position of its header. */
  private literalGroups = 0;
  private literalHeader = 0;

  constructor(width: number) {
    requireWidth(width);
    this.width = width;
    this.lowMask = -1 >>> (32 - Math.min(width, 32));
    this.highMask = width > 32 ? -1 >>> (64 - width) : 0;
  }

  /**
   * Bytes in the output so far, including the header of an open literal run, but not an open repeated run or the values
   * of an incomplete group: this is the length that decides when a block is full.
   */
  get length(): number {
    return this.out.length;
  }

  /** Adds one value, signed or unsigned, of at most `width` bits; a number must be a safe integer. */
  put(value: number | bigint): void {
    this.putRun(value, 1);
  }

  /**
   * Adds the same value `count` times; the cost does not depend on `count`.
   *
   * @throws {CFileError} also `E_INVALID_ARGUMENT` unless `count` is an integer >= 0
   */
  putRun(value: number | bigint, count: number): void {
    const isInteger = typeof value === "bigint" || Number.isSafeInteger(value);
    const end = 2 ** this.width;
    if (!(isInteger && value >= -end / 2 && value < end)) {
      throw invalidOption("value", String(value), `an integer of ${this.width} bits`);
    }
    if (!(Number.isSafeInteger(count) && count >= 0)) {
      throw invalidOption("count", count, "an integer >= 0");
    }
    const low = typeof value === "bigint" ? Number(BigInt.asIntN(32, value)) : value;
    const high =
      typeof value === "bigint" ? Number(BigInt.asIntN(32, value >> 32n)) : Math.floor(value / 2 ** 32);
    this.putWords(low & this.lowMask, high & this.highMask, count);
  }

  /** Adds `values[from..to)`, whose elements are `width` bits wide: 8, 16, 32 or 64. Their sign does not matter. */
  putAll(values: FixedValues, from = 0, to = values.length): void {
    const size = values.BYTES_PER_ELEMENT;
    if (size * 8 !== this.width) {
      throw invalidOption("width", size * 8, `${this.width}`);
    }
    requireRange(from, to, values.length);
    const integers = integerWords(values);
    const { perValue, words } = integers;
    const bytes = bytesOf(values);
    let i = from;
    while (i < to) {
      if (this.repeated > 0) {
        const end = endOfRun(integers, this.low, this.high, i, to);
        this.repeated += end - i;
        i = end;
        if (i === to) {
          return;
        }
        this.emitRepeated();
      }
      if (this.stagedCount > 0 || to - i < GROUP) {
        this.stage(words[i * perValue] as number, perValue === 2 ? (words[i * 2 + 1] as number) : 0);
        i++;
        continue;
      }
      let end = i;
      while (end + GROUP <= to && !isRun(integers, end)) {
        end += GROUP;
      }
      while (i < end) {
        const groups = this.openLiterals((end - i) / GROUP);
        this.out.append(bytes.subarray(i * size, (i + groups * GROUP) * size));
        this.closeFullLiterals();
        i += groups * GROUP;
      }
      if (i + GROUP <= to) {
        const high = perValue === 2 ? (words[i * 2 + 1] as number) : 0;
        this.startRepeated(words[i * perValue] as number, high, GROUP);
        i += GROUP;
      }
    }
  }

  /** Adds bits `from` to `to` of a bitmap. @throws {CFileError} also `E_INVALID_ARGUMENT` unless the width is 1 */
  putBits(bitmap: Uint8Array, from: number, to: number): void {
    if (this.width !== 1) {
      throw invalidOption("width", this.width, "1");
    }
    requireRange(from, to, bitmap.length * 8);
    let i = from;
    while (i < to) {
      if (this.repeated > 0) {
        const end = findBit(bitmap, this.low === 0, i, to);
        this.repeated += end - i;
        i = end;
        if (i === to) {
          return;
        }
        this.emitRepeated();
      }
      if (this.stagedCount > 0 || to - i < GROUP) {
        this.stage(getBit(bitmap, i) ? 1 : 0, 0);
        i++;
        continue;
      }
      const group = bitGroup(bitmap, i);
      if (isBitRun(group)) {
        this.startRepeated(group & 1, 0, GROUP);
        i += GROUP;
      } else {
        i = this.putLiteralBits(bitmap, i, to);
      }
    }
  }

  /** Adds groups of bits to the literal run: at least one, up to a run of equal bits or the maximum; returns the bit after them. */
  private putLiteralBits(bitmap: Uint8Array, from: number, to: number): number {
    const { out } = this;
    const buffer = out.reserve(1 + MAX_LITERAL_GROUPS);
    if (this.literalGroups === 0) {
      this.literalHeader = out.length++;
    }
    const start = out.length;
    const end = start + Math.min((to - from) >>> 3, MAX_LITERAL_GROUPS - this.literalGroups);
    let position = start;
    for (; position < end; position++, from += GROUP) {
      const group = bitGroup(bitmap, from);
      if (isBitRun(group)) {
        break;
      }
      buffer[position] = group;
    }
    this.literalGroups += position - start;
    out.length = position;
    this.closeFullLiterals();
    return from;
  }

  /** Ends the stream, returns its bytes and starts the next one. A stream without values has no bytes. */
  finish(): Uint8Array {
    if (this.stagedCount > 0 && this.literalGroups === 0 && this.stagedAreEqual()) {
      this.startRepeated(this.staged[0] as number, this.staged[1] as number, this.stagedCount);
    } else if (this.stagedCount > 0) {
      this.appendStaged();
    }
    if (this.repeated > 0) {
      this.emitRepeated();
    }
    this.closeLiterals();
    const stream = this.out.finish();
    this.reset();
    return stream;
  }

  /** Discards everything added since the last `finish()`. */
  reset(): void {
    this.out.clear();
    this.stagedCount = 0;
    this.repeated = 0;
    this.literalGroups = 0;
  }

  private putWords(low: number, high: number, count: number): void {
    while (count > 0) {
      if (this.repeated > 0) {
        if (low === this.low && high === this.high) {
          this.repeated += count;
          return;
        }
        this.emitRepeated();
      }
      if (this.stagedCount === 0 && count >= GROUP) {
        this.startRepeated(low, high, count);
        return;
      }
      this.stage(low, high);
      count--;
    }
  }

  private stage(low: number, high: number): void {
    this.staged[2 * this.stagedCount] = low;
    this.staged[2 * this.stagedCount + 1] = high;
    this.stagedCount++;
    if (this.stagedCount < GROUP) {
      return;
    }
    if (this.stagedAreEqual()) {
      this.startRepeated(low, high, GROUP);
    } else {
      this.appendStaged();
      this.closeFullLiterals();
    }
    this.stagedCount = 0;
  }

  private stagedAreEqual(): boolean {
    const { staged } = this;
    for (let i = 2; i < 2 * this.stagedCount; i += 2) {
      if (staged[i] !== staged[0] || staged[i + 1] !== staged[1]) {
        return false;
      }
    }
    return true;
  }

  private startRepeated(low: number, high: number, count: number): void {
    this.closeLiterals();
    this.low = low;
    this.high = high;
    this.repeated = count;
  }

  private emitRepeated(): void {
    const { out, repeated } = this;
    if (repeated < 64 && this.width <= 8) {
      // The usual run of a bitmap: one byte each for the count and the value.
      const buffer = out.reserve(2);
      buffer[out.length++] = 2 * repeated;
      buffer[out.length++] = this.low;
      this.repeated = 0;
      return;
    }
    while (this.repeated > 0) {
      const count = Math.min(this.repeated, MAX_REPEATED);
      this.repeated -= count;
      writeVarint32(this.out, 2 * count);
      for (let shift = 0; shift < this.width; shift += 8) {
        this.out.u8((shift < 32 ? this.low >>> shift : this.high >>> (shift - 32)) & 0xff);
      }
    }
  }

  /** Adds the staged values, eight or, at the stream's end, fewer, to the literal run. */
  private appendStaged(): void {
    this.openLiterals(1);
    const length = Math.ceil((this.stagedCount * this.width) / 8);
    const start = this.out.length;
    const buffer = this.out.reserve(length).fill(0, start, start + length);
    packWords(this.stagedWords, this.width, this.stagedCount, buffer, start);
    this.out.length += length;
  }

  /** Adds up to `groups` groups to the count of the literal run, which is opened if necessary; returns the number added. */
  private openLiterals(groups: number): number {
    if (this.literalGroups === 0) {
      this.literalHeader = this.out.length;
      this.out.u8(0);
    }
    const taken = Math.min(groups, MAX_LITERAL_GROUPS - this.literalGroups);
    this.literalGroups += taken;
    return taken;
  }

  private closeFullLiterals(): void {
    if (this.literalGroups === MAX_LITERAL_GROUPS) {
      this.closeLiterals();
    }
  }

  private closeLiterals(): void {
    if (this.literalGroups > 0) {
      this.out.reserve(0)[this.literalHeader] = (this.literalGroups << 1) | 1;
      this.literalGroups = 0;
    }
  }
}
