/**
 * Plain blocks of BOOL (docs/spec/cfile.md#52-plain-bool).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | ceil(count / 8) | bitmap, least significant bit first, zero padded |
 */
import { bitmapByteLength, CFileError, copyBits, corrupt } from "@cfile/bytes";
import { requireRange } from "../../conditions/value-range.js";
import type { BoolVector } from "../../types/vector.js";
import type { BlockDecoder, SeekPosition } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader } from "../headers/count-header.js";

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
