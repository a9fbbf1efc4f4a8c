/**
 * Vectors: values without nulls, in Arrow's layout. Block decoders, block builders and column batches exchange them.
 *
 * | kind | values |
 * | --- | --- |
 * | `fixed` | one typed array element per value; INT128: 16 bytes per value, little-endian |
 * | `bool` | bitmap, least significant bit first |
 * | `binary` | `data`, and `length + 1` offsets into it |
 * | `dictionary` | one `codes` element per value, an index into `dictionary` |
 */
import { type BlockMemory, freshMemory } from "@cfile/bytes";
import { type FixedPhysicalType, physicalWidth } from "./data-type.js";

/** The typed array of a fixed-width type; INT128 and DECIMAL128 take 16 bytes per value. */
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

/** Typed arrays whose elements are numbers. */
export type NumberValues = Exclude<FixedValues, BigUint64Array | BigInt64Array>;

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

/** Byte strings back to back, in Arrow's layout. */
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

/** Values without nulls, as block builders take them; `kind` distinguishes the forms. */
export type Vector = FixedVector | BoolVector | BinaryVector | DictionaryVector;

/**
 * A typed array for `length` values.
 *
 * @param memory default: new memory, which is zeroed
 */
export function allocateFixed(
  physical: FixedPhysicalType,
  length: number,
  memory: BlockMemory = freshMemory,
): FixedValues {
  return fixedView(physical, memory.take(length * physicalWidth(physical)), length);
}

type FixedArray = new (buffer: ArrayBufferLike, byteOffset: number, length: number) => FixedValues;

const ARRAYS: Readonly<Record<FixedPhysicalType, FixedArray>> = {
  UINT8: Uint8Array,
  INT8: Int8Array,
  UINT16: Uint16Array,
  INT16: Int16Array,
  UINT32: Uint32Array,
  INT32: Int32Array,
  UINT64: BigUint64Array,
  INT64: BigInt64Array,
  INT128: Uint8Array,
  FLOAT: Float32Array,
  DOUBLE: Float64Array,
};

/** The `length` values of a buffer that start at `byteOffset`, which must be a multiple of the element size. */
export function fixedView(
  physical: FixedPhysicalType,
  buffer: ArrayBufferLike,
  length: number,
  byteOffset = 0,
): FixedValues {
  return new ARRAYS[physical](buffer, byteOffset, length * elementsPerValue(physical));
}

/** Typed array elements per value: 16 for INT128, else 1. */
export function elementsPerValue(physical: FixedPhysicalType): number {
  return physical === "INT128" ? 16 : 1;
}

/** A view of the bytes of any typed array. Typed arrays are little-endian on every supported platform. */
export function bytesOf(values: ArrayBufferView): Uint8Array {
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}
