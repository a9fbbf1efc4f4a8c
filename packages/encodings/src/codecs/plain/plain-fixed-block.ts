/**
 * Plain blocks of fixed-width values (docs/spec/cfile.md#51-plain-fixed-width).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | count · width | values, little-endian |
 */
import type { BlockMemory } from "@cfile/bytes";
import { seekInteger } from "../../keys/seek-target.js";
import { requireRange } from "../../types/checks.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { allocateFixed, bytesOf, type FixedValues, type FixedVector, fixedView } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext, SeekPosition, SeekTarget } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader, requireLength } from "../headers/count-header.js";

/**
 * Opens a block. `decode` returns a view of `bytes` where they are aligned to the type, else a copy.
 *
 * @throws {CFileError} `E_TRUNCATED` for an incomplete header; `E_CORRUPT` unless the length is `8 + count * width`
 */
export function openPlainFixedBlock(
  physical: FixedPhysicalType,
  bytes: Uint8Array,
  context: Pick<DecodeContext, "memory"> = {},
): BlockDecoder {
  return new PlainFixedBlock(physical, bytes, context.memory);
}

class PlainFixedBlock implements BlockDecoder {
  readonly ordinal: number;
  readonly count: number;
  private readonly physical: FixedPhysicalType;
  /** The values. */
  private readonly bytes: Uint8Array;
  private readonly memory: BlockMemory | undefined;

  constructor(physical: FixedPhysicalType, bytes: Uint8Array, memory: BlockMemory | undefined) {
    const { count, ordinal } = readCountHeader(bytes);
    requireLength(bytes.length, count * physicalWidth(physical));
    this.count = count;
    this.ordinal = ordinal;
    this.physical = physical;
    this.bytes = bytes.subarray(COUNT_HEADER_LENGTH);
    this.memory = memory;
  }

  decode(from: number, to: number): FixedVector {
    requireRange(from, to, this.count);
    return { kind: "fixed", physical: this.physical, length: to - from, values: this.values(from, to) };
  }

  private values(from: number, to: number): FixedValues {
    const { bytes, memory, physical } = this;
    const width = physicalWidth(physical);
    const start = bytes.byteOffset + from * width;
    if (physical === "INT128" || start % width === 0) {
      return fixedView(physical, bytes.buffer, to - from, start);
    }
    const copy = allocateFixed(physical, to - from, memory);
    bytesOf(copy).set(bytes.subarray(from * width, to * width));
    return copy;
  }

  /** The length was checked on opening, and every bit pattern is a value. */
  check(): void {}

  seek(target: SeekTarget): SeekPosition {
    return seekInteger(this.decode(0, this.count), this.count, target);
  }
}
