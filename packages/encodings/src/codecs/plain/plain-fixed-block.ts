/**
 * Plain blocks of fixed-width values (docs/spec/cfile.md#51-plain-fixed-width).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | count · width | values, little-endian |
 */
import { seekInteger } from "../../keys/seek-target.js";
import { requireRange } from "../../types/checks.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { allocateFixed, bytesOf, type FixedValues, type FixedVector, fixedView } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader, requireLength } from "../headers/count-header.js";

/**
 * Opens a block. `decode` returns a view of `bytes` where they are aligned to the type, else a copy.
 *
 * @throws {CFileError} `E_TRUNCATED` for an incomplete header; `E_CORRUPT` unless the length is `8 + count * width`
 */
export function openPlainFixedBlock(
  physical: FixedPhysicalType,
  bytes: Uint8Array,
  { memory }: Pick<DecodeContext, "memory"> = {},
): BlockDecoder<FixedVector> {
  const { count, ordinal } = readCountHeader(bytes);
  const width = physicalWidth(physical);
  requireLength(bytes.length, count * width);
  const decode = (from: number, to: number): FixedVector => {
    requireRange(from, to, count);
    const length = to - from;
    const start = COUNT_HEADER_LENGTH + from * width;
    let values: FixedValues;
    if (physical === "INT128" || (bytes.byteOffset + start) % width === 0) {
      values = fixedView(physical, bytes.buffer, length, bytes.byteOffset + start);
    } else {
      values = allocateFixed(physical, length, memory);
      bytesOf(values).set(bytes.subarray(start, start + length * width));
    }
    return { kind: "fixed", physical, length, values };
  };
  return {
    ordinal,
    count,
    decode,
    /** The length was checked on opening, and every bit pattern is a value. */
    check() {},
    seek: (target) => seekInteger(decode(0, count), count, target),
  };
}
