/**
 * Bit packing (docs/spec/cfile.md#17-bit-packing): values of `width` bits back to back, least significant bit first.
 *
 * | stream bit | byte | mask |
 * | --- | --- | --- |
 * | `i` | `i >> 3` | `1 << (i & 7)` |
 *
 * Value `k` takes bits `k * width` to `(k + 1) * width - 1`, its bit 0 first. Unused bits of the last byte are
 * zero. Eight values take `width` bytes, so every eighth value starts at a byte.
 */
import { CFileError, invalidOption } from "@cfile/bytes";
import { requireRange } from "../../types/checks.js";
import { bytesOf, type FixedValues } from "../../types/vector.js";
import { type IntegerWords, integerWords } from "./integer-words.js";

/** Bytes that `count` values of `width` bits take. */
export function packedByteLength(count: number, width: number): number {
  // In two parts, so that every product is a safe integer.
  return Math.floor(count / 8) * width + Math.ceil(((count % 8) * width) / 8);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless `width` is an integer from 1 to 64 */
export function requireWidth(width: number): void {
  if (!(Number.isInteger(width) && width >= 1 && width <= 64)) {
    throw invalidOption("width", width, "an integer from 1 to 64");
  }
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless the elements of `values` hold `width` bits */
export function requireElements(values: FixedValues, width: number): void {
  requireWidth(width);
  if (values.BYTES_PER_ELEMENT * 8 < width) {
    throw invalidOption("width", width, `at most ${8 * values.BYTES_PER_ELEMENT}`);
  }
}

/**
 * Packs `values[from..to)`, the low `width` bits (1 to 64) of each: negative numbers in two's complement.
 *
 * @returns `ceil((to - from) * width / 8)` bytes
 * @throws {CFileError} `E_INVALID_ARGUMENT` when an element has fewer than `width` bits, or the range is outside `values`
 */
export function packBits(values: FixedValues, width: number, from = 0, to = values.length): Uint8Array {
  requireElements(values, width);
  requireRange(from, to, values.length);
  const size = values.BYTES_PER_ELEMENT;
  if (size * 8 === width) {
    return bytesOf(values).slice(from * size, to * size);
  }
  const packed = new Uint8Array(packedByteLength(to - from, width));
  packWords(integerWords(values.subarray(from, to)), width, to - from, packed, 0);
  return packed;
}

/** Packs the first `count` values into `target` from byte `start`, where the bytes must be zero. */
export function packWords(
  values: IntegerWords,
  width: number,
  count: number,
  target: Uint8Array,
  start: number,
): void {
  if (width === 1) {
    packSingleBits(values, count, target, start);
    return;
  }
  const { words, perValue } = values;
  const lowWidth = Math.min(width, 32);
  const lowMask = -1 >>> (32 - lowWidth);
  const highMask = width > 32 ? -1 >>> (64 - width) : 0;
  for (let i = 0, group = start; i < count; i += 8, group += width) {
    const last = Math.min(count, i + 8);
    for (let k = i, bit = 0; k < last; k++, bit += width) {
      const word = k * perValue;
      putBits(target, group, bit, (words[word] as number) & lowMask, lowWidth);
      if (width > 32) {
        putBits(target, group, bit + 32, (words[word + 1] as number) & highMask, width - 32);
      }
    }
  }
}

function packSingleBits(values: IntegerWords, count: number, target: Uint8Array, start: number): void {
  const { words, perValue } = values;
  for (let i = 0, byte = start; i < count; i += 8, byte++) {
    const last = Math.min(count, i + 8);
    let packed = 0;
    for (let k = i, shift = 0; k < last; k++, shift++) {
      packed |= ((words[k * perValue] as number) & 1) << shift;
    }
    target[byte] = packed;
  }
}

/** Adds the `width` bits of `value` (at most 32; higher bits are zero) at bit `bit` after byte `start`. */
function putBits(target: Uint8Array, start: number, bit: number, value: number, width: number): void {
  let byte = start + (bit >>> 3);
  const shift = bit & 7;
  target[byte] = (target[byte] as number) | (value << shift);
  for (let done = 8 - shift; done < width; done += 8) {
    target[++byte] = value >>> done;
  }
}

/**
 * Unpacks `count` values of `width` bits (1 to 64) to the start of `output`. Values narrower than the elements
 * become unsigned; where both are equally wide, the array's type decides.
 *
 * @param first index in `bytes` of the first value to unpack. Default 0
 * @throws {CFileError} `E_TRUNCATED` when `bytes` end before the last value; `E_INVALID_ARGUMENT` when an element has
 *   fewer than `width` bits, or `output` fewer than `count` elements
 */
export function unpackBits(
  bytes: Uint8Array,
  width: number,
  count: number,
  output: FixedValues,
  first = 0,
): void {
  requireElements(output, width);
  requireRange(0, count, output.length);
  requireRange(first, first + count, Number.MAX_SAFE_INTEGER);
  const expected = packedByteLength(first + count, width);
  const actual = bytes.length;
  if (expected > actual) {
    const details = { offset: 0, field: "packed values", expected, actual };
    throw new CFileError("E_TRUNCATED", "packed values end early", details);
  }
  const size = output.BYTES_PER_ELEMENT;
  if (size * 8 === width) {
    bytesOf(output).set(bytes.subarray(first * size, (first + count) * size));
  } else {
    unpackWords({ bytes, body: 0, width }, first, integerWords(output), 0, count);
  }
}

/** Packed values of `width` bits, starting at byte `body`. */
export interface PackedValues {
  readonly bytes: Uint8Array;
  readonly body: number;
  readonly width: number;
}

/** Unpacks values, starting with value `first`, to `output[from..to)`, without checks. */
export function unpackWords(
  packed: PackedValues,
  first: number,
  output: IntegerWords,
  from: number,
  to: number,
): void {
  const { bytes, body, width } = packed;
  const { words, perValue } = output;
  const lowWidth = Math.min(width, 32);
  for (let out = from, i = first; out < to; out++, i++) {
    const group = body + Math.floor(i / 8) * width;
    const bit = (i & 7) * width;
    const word = out * perValue;
    words[word] = bitsAt(bytes, group, bit, lowWidth);
    if (perValue === 2) {
      words[word + 1] = width > 32 ? bitsAt(bytes, group, bit + 32, width - 32) : 0;
    }
  }
}

/** The `width` bits (at most 32) at bit `bit` after byte `start`. */
function bitsAt(bytes: Uint8Array, start: number, bit: number, width: number): number {
  let byte = start + (bit >>> 3);
  const shift = bit & 7;
  let value = (bytes[byte] as number) >>> shift;
  for (let have = 8 - shift; have < width; have += 8) {
    value |= (bytes[++byte] as number) << have;
  }
  return width === 32 ? value : value & (-1 >>> (32 - width));
}
