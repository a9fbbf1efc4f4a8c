/**
 * Plain blocks of BOOL (docs/spec/cfile.md#52-plain-bool).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | ceil(count / 8) | bitmap, least significant bit first, zero padded |
 */
import { ByteBuilder, bitmapByteLength, CFileError, copyBits, corrupt, invalidArgument } from "@cfile/bytes";
import { requireRange } from "../../conditions/value-range.js";
import type { BoolVector, Vector } from "../../types/vector.js";
import type { BlockBuilder, BlockBuilderOptions, BlockDecoder, SeekPosition } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader, writeCountHeader } from "../headers/count-header.js";

/** A builder of plain BOOL blocks; it takes everything offered and is full above the block size. */
export function createPlainBoolBuilder(options: BlockBuilderOptions): BlockBuilder {
  return new PlainBoolBuilder(options.blockSize);
}

class PlainBoolBuilder implements BlockBuilder {
  count = 0;
  private readonly blockSize: number;
  private readonly bits = new ByteBuilder();

  constructor(blockSize: number) {
    this.blockSize = blockSize;
  }

  get full(): boolean {
    return COUNT_HEADER_LENGTH + this.bits.length > this.blockSize;
  }

  add(vector: Vector, from: number, to: number): number {
    if (vector.kind !== "bool") {
      throw invalidArgument(`a ${vector.kind} vector for a block of BOOL`, { field: "vector" });
    }
    requireRange(from, to, Math.min(vector.length, vector.values.length * 8));
    const length = bitmapByteLength(this.count + to - from);
    const bitmap = this.bits.reserve(length - this.bits.length);
    copyBits(vector.values, from, bitmap, this.count, to - from);
    this.count += to - from;
    this.bits.length = length;
    return to - from;
  }

  unitFree(_vector: Vector, from: number, to: number): number {
    const room = 8 * (this.blockSize - COUNT_HEADER_LENGTH) - this.count;
    return Math.max(0, Math.min(to - from, room));
  }

  finish(ordinal: number): Uint8Array {
    const block = new ByteBuilder(COUNT_HEADER_LENGTH + this.bits.length);
    writeCountHeader(block, this.count, ordinal);
    const bitmap = block.reserve(this.bits.length);
    copyBits(this.bits.view8(), 0, bitmap, COUNT_HEADER_LENGTH * 8, this.count);
    block.length += this.bits.length;
    this.bits.clear();
    this.count = 0;
    return block.view8();
  }
}

/**
 * Opens a block.
 *
 * @throws CFileError `E_TRUNCATED` without a whole header; `E_CORRUPT` unless the length is `8 + ceil(count / 8)`
 */
export function openPlainBoolBlock(bytes: Uint8Array): BlockDecoder {
  return new PlainBoolBlock(bytes);
}

class PlainBoolBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  private readonly bitmap: Uint8Array;

  constructor(bytes: Uint8Array) {
    const { count, ordinal } = readCountHeader(bytes);
    const expected = COUNT_HEADER_LENGTH + bitmapByteLength(count);
    if (bytes.length !== expected) {
      throw corrupt(`a plain block of ${count} BOOL values takes ${expected} bytes`, {
        offset: 0,
        field: "value count",
        expected,
        actual: bytes.length,
      });
    }
    this.count = count;
    this.ordinal = ordinal;
    this.bitmap = bytes.subarray(COUNT_HEADER_LENGTH);
  }

  /** A view of the block where the range starts and ends at bytes, else a copy; unused bits are zero. */
  decode(from: number, to: number): BoolVector {
    requireRange(from, to, this.count);
    const length = to - from;
    if (from % 8 === 0 && to % 8 === 0) {
      return { kind: "bool", length, values: this.bitmap.subarray(from / 8, to / 8) };
    }
    const values = new Uint8Array(bitmapByteLength(length));
    copyBits(this.bitmap, from, values, 0, length);
    return { kind: "bool", length, values };
  }

  /** The length was checked on opening; like Kudu, this does not look at the padding. */
  check(): void {}

  seek(): SeekPosition {
    throw new CFileError("E_UNSUPPORTED", "BOOL values have no key order", { field: "data_type" });
  }
}
