/**
 * Vectors: values without nulls, in Arrow's layout. The currency between block decoders, block builders and
 * column batches.
 *
 * | kind | values |
 * | --- | --- |
 * | `fixed` | one typed array element a value; INT128: 16 bytes a value, little-endian |
 * | `bool` | bitmap, least significant bit first |
 * | `binary` | `data`, and `length + 1` offsets into it |
 * | `dictionary` | one `codes` element a value, an index into `dictionary` |
 */
import { type BlockMemory, freshMemory } from "@cfile/bytes";
import { type FixedPhysicalType, physicalWidth } from "./data-type.js";

/** The typed array of a fixed-width type; INT128 and DECIMAL128 are bytes, 16 for each. */
export type FixedValues =
  | Uint8Array
  | Int8Array
  | Uint16Array
  | Int16Array
  | Uint32Array
  | Int32Array
  | BigUint64Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

/** Values of a fixed width in a typed array. */
export interface FixedVector {
  readonly kind: "fixed";
  readonly physical: FixedPhysicalType;
  readonly length: number;
  /** `length` elements; for INT128 a Uint8Array of `16 * length` bytes. */
  readonly values: FixedValues;
}

/** Bits, least significant bit first. */
export interface BoolVector {
  readonly kind: "bool";
  readonly length: number;
  /** At least `ceil(length / 8)` bytes. */
  readonly values: Uint8Array;
}

/** Byte strings back to back, as Arrow keeps them. */
export interface BinaryVector {
  readonly kind: "binary";
  readonly length: number;
  /** `length + 1` offsets into `data`, never decreasing; the first need not be 0. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** Byte strings as codes of a dictionary. */
export interface DictionaryVector {
  readonly kind: "dictionary";
  readonly length: number;
  /** Each in `0 .. dictionary.length - 1`. */
  readonly codes: Int32Array;
  readonly dictionary: BinaryVector;
}

/** Values without nulls, as block builders take them; `kind` tells which of the forms it is. */
export type Vector = FixedVector | BoolVector | BinaryVector | DictionaryVector;

/**
 * A typed array for `length` values; zeroed unless `memory` gives what was used before.
 *
 * @param zeroed whether values must be zero in any memory
 */
export function allocateFixed(
  physical: FixedPhysicalType,
  length: number,
  memory: BlockMemory = freshMemory,
  zeroed = false,
): FixedValues {
  return fixedView(physical, memory.take(length * physicalWidth(physical), zeroed), length);
}

/** The leading `length` values of a buffer. */
export function fixedView(physical: FixedPhysicalType, buffer: ArrayBuffer, length: number): FixedValues {
  switch (physical) {
    case "UINT8":
      return new Uint8Array(buffer, 0, length);
    case "INT8":
      return new Int8Array(buffer, 0, length);
    case "UINT16":
      return new Uint16Array(buffer, 0, length);
    case "INT16":
      return new Int16Array(buffer, 0, length);
    case "UINT32":
      return new Uint32Array(buffer, 0, length);
    case "INT32":
      return new Int32Array(buffer, 0, length);
    case "UINT64":
      return new BigUint64Array(buffer, 0, length);
    case "INT64":
      return new BigInt64Array(buffer, 0, length);
    case "INT128":
      return new Uint8Array(buffer, 0, 16 * length);
    case "FLOAT":
      return new Float32Array(buffer, 0, length);
    case "DOUBLE":
      return new Float64Array(buffer, 0, length);
  }
}

/** The bytes under any typed array, not copied. Typed arrays are little-endian on every platform we run on. */
export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
