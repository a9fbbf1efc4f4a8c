/**
 * Plain blocks of BOOL (docs/spec/cfile.md#52-plain-bool).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | ceil(count / 8) | bitmap, least significant bit first, zero padded |
 */
import { bitmapByteLength, copyBits } from "@cfile/bytes";
import { requireRange, unordered } from "../../types/checks.js";
import type { BoolVector } from "../../types/vector.js";
import type { BlockDecoder } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader, requireLength } from "../headers/count-header.js";

/**
 * Opens a block. `decode` returns a view of `bytes` where the range starts and ends at byte boundaries, else a copy; unused bits are zero.
 *
 * @throws {CFileError} `E_TRUNCATED` for an incomplete header; `E_CORRUPT` unless the length is `8 + ceil(count / 8)`
 */
export function openPlainBoolBlock(bytes: Uint8Array): BlockDecoder {
  const { count, ordinal } = readCountHeader(bytes);
  requireLength(bytes.length, bitmapByteLength(count));
  const bitmap = bytes.subarray(COUNT_HEADER_LENGTH);
  return {
    count,
    ordinal,
    decode(from, to): BoolVector {
      requireRange(from, to, count);
      const length = to - from;
      if (from % 8 === 0 && to % 8 === 0) {
        return { kind: "bool", length, values: bitmap.subarray(from / 8, to / 8) };
      }
      const values = new Uint8Array(bitmapByteLength(length));
      copyBits(bitmap, from, values, 0, length);
      return { kind: "bool", length, values };
    },
    /** The length was checked on opening; like Kudu, this does not check the padding. */
    check() {},
    seek() {
      throw unordered("BOOL");
    },
  };
}
