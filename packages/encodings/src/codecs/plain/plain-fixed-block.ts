/**
 * Plain blocks of fixed-width values (docs/spec/cfile.md#51-plain-fixed-width).
 *
 * | offset | width | meaning |
 * | --- | --- | --- |
 * | 0 | 8 | count and ordinal, `count-header.ts` |
 * | 8 | count · width | values, little-endian |
 */
import { type BlockMemory, corrupt } from "@cfile/bytes";
import { requireRange } from "../../conditions/value-range.js";
import { seekInteger } from "../../keys/seek-target.js";
import { type FixedPhysicalType, physicalWidth } from "../../types/data-type.js";
import { allocateFixed, bytesOf, type FixedValues, type FixedVector } from "../../types/vector.js";
import type { BlockDecoder, DecodeContext, SeekPosition, SeekTarget } from "../block-codec.js";
import { COUNT_HEADER_LENGTH, readCountHeader } from "../headers/count-header.js";

/**
 * Opens a block. `decode` gives a view of `bytes` where their address allows one, else a copy.
 *
 * @throws CFileError `E_TRUNCATED` without a whole header; `E_CORRUPT` unless the length is `8 + count * width`
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
  private readonly width: number;
  private readonly bytes: Uint8Array;
  private readonly memory: BlockMemory | undefined;

  constructor(physical: FixedPhysicalType, bytes: Uint8Array, memory: BlockMemory | undefined) {
    const { count, ordinal } = readCountHeader(bytes);
    this.width = physicalWidth(physical);
    const expected = COUNT_HEADER_LENGTH + count * this.width;
    if (bytes.length !== expected) {
      throw corrupt(`a plain block of ${count} values of ${this.width} bytes takes ${expected} bytes`, {
        offset: 0,
        field: "value count",
        expected,
        actual: bytes.length,
      });
    }
    this.count = count;
    this.ordinal = ordinal;
    this.physical = physical;
    this.bytes = bytes;
    this.memory = memory;
  }

  decode(from: number, to: number): FixedVector {
    requireRange(from, to, this.count);
    const start = COUNT_HEADER_LENGTH + from * this.width;
    const end = COUNT_HEADER_LENGTH + to * this.width;
    const values =
      this.view(this.bytes.byteOffset + start, to - from) ??
      copyOf(this.physical, to - from, this.bytes.subarray(start, end), this.memory);
    return { kind: "fixed", physical: this.physical, length: to - from, values };
  }

  /** The length was checked on opening, and every bit pattern is a value. */
  check(): void {}

  seek(target: SeekTarget): SeekPosition {
    return seekInteger(this.decode(0, this.count), this.count, target);
  }

  private view(byteOffset: number, length: number): FixedValues | undefined {
    const { buffer } = this.bytes;
    switch (this.physical) {
      case "UINT8":
        return new Uint8Array(buffer, byteOffset, length);
      case "INT8":
        return new Int8Array(buffer, byteOffset, length);
      case "INT128":
        return new Uint8Array(buffer, byteOffset, 16 * length);
    }
    if (byteOffset % this.width !== 0) {
      return undefined;
    }
    switch (this.physical) {
      case "UINT16":
        return new Uint16Array(buffer, byteOffset, length);
      case "INT16":
        return new Int16Array(buffer, byteOffset, length);
      case "UINT32":
        return new Uint32Array(buffer, byteOffset, length);
      case "INT32":
        return new Int32Array(buffer, byteOffset, length);
      case "UINT64":
        return new BigUint64Array(buffer, byteOffset, length);
      case "INT64":
        return new BigInt64Array(buffer, byteOffset, length);
      case "FLOAT":
        return new Float32Array(buffer, byteOffset, length);
      case "DOUBLE":
        return new Float64Array(buffer, byteOffset, length);
    }
  }
}

function copyOf(
  physical: FixedPhysicalType,
  length: number,
  bytes: Uint8Array,
  memory: BlockMemory | undefined,
): FixedValues {
  const values = allocateFixed(physical, length, memory);
  bytesOf(values).set(bytes);
  return values;
}
