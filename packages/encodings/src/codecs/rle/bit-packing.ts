/**
 * Bit packing (docs/spec/cfile.md#17-bit-packing): values of `width` bits back to back, least significant bit first.
 *
 * | stream bit | byte | mask |
 * | --- | --- | --- |
 * | `i` | `i >> 3` | `1 << (i & 7)` |
 *
 * Value `k` takes bits `k * width` to `(k + 1) * width - 1`, its own bit 0 first. Unused bits of the last byte are
 * zero. Eight values take `width` bytes, so every eighth value starts at a byte.
 */
import { CFileError, invalidArgument } from "@cfile/bytes";
import { requireRange } from "../../conditions/value-range.js";
import { bytesOf, type FixedValues } from "../../types/vector.js";

/**
 * Integers as machine words: one element a value for 8, 16 and 32 bits, two (low, high) for 64. The sign plays no
 * part in packing, so each width has one representation.
 */
export type IntegerWords = Uint8Array | Uint16Array | Int32Array;

/** The memory of `values` as words, not copied. */
export function integerWords(values: FixedValues): IntegerWords {
  switch (values.BYTES_PER_ELEMENT) {
    case 1:
      return bytesOf(values);
    case 2:
      return new Uint16Array(values.buffer, values.byteOffset, values.length);
    default:
      return new Int32Array(values.buffer, values.byteOffset, values.byteLength / 4);
  }
}

/** Bytes that `count` values of `width` bits take. */
export function packedByteLength(count: number, width: number): number {
  // In two parts, so that no product leaves the safe integers.
  return Math.floor(count / 8) * width + Math.ceil(((count % 8) * width) / 8);
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless `width` is an integer of 1 to 64 */
export function requireBitWidth(width: number): void {
  if (!(Number.isInteger(width) && width >= 1 && width <= 64)) {
    throw invalidArgument(`a width of ${width} bits; 1 to 64 are possible`, {
      field: "width",
      actual: width,
    });
  }
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless elements of `values` hold `width` bits */
export function requireElements(values: FixedValues, width: number): void {
  requireBitWidth(width);
  if (values.BYTES_PER_ELEMENT * 8 < width) {
    throw invalidArgument(`${values.constructor.name} elements are narrower than ${width} bits`, {
      field: "width",
      expected: values.BYTES_PER_ELEMENT * 8,
      actual: width,
    });
  }
}

/**
 * Packs `values[from..to)`, the low `width` bits (1 to 64) of each: negative numbers in two's complement.
 *
 * @returns `ceil((to - from) * width / 8)` bytes
 * @throws CFileError `E_INVALID_ARGUMENT` when an element has fewer than `width` bits, or there are no such values
 */
export function packBits(values: FixedValues, width: number, from = 0, to = values.length): Uint8Array {
  requireElements(values, width);
  requireRange(from, to, values.length);
  const size = values.BYTES_PER_ELEMENT;
  if (size * 8 === width) {
    return bytesOf(values).slice(from * size, to * size);
  }
  const packed = new Uint8Array(packedByteLength(to - from, width));
  packWords(integerWords(values), size === 8 ? 2 : 1, width, from, to, packed, 0);
  return packed;
}

/**
 * Packs values given as words into `target` from byte `start`, where the bytes must be zero.
 *
 * @param perValue words of a value: 2 when elements are 64 bits wide, else 1
 */
export function packWords(
  words: IntegerWords,
  perValue: 1 | 2,
  width: number,
  from: number,
  to: number,
  target: Uint8Array,
  start: number,
): void {
  if (width === 1) {
    packSingleBits(words, perValue, from, to, target, start);
    return;
  }
  const lowWidth = Math.min(width, 32);
  const lowMask = -1 >>> (32 - lowWidth);
  const highMask = width > 32 ? -1 >>> (64 - width) : 0;
  for (let i = from, group = start; i < to; i += 8, group += width) {
    const last = Math.min(to, i + 8);
    for (let k = i, bit = 0; k < last; k++, bit += width) {
      const word = k * perValue;
      putBits(target, group, bit, (words[word] as number) & lowMask, lowWidth);
      if (width > 32) {
        putBits(target, group, bit + 32, (words[word + 1] as number) & highMask, width - 32);
      }
    }
  }
}

function packSingleBits(
  words: IntegerWords,
  perValue: 1 | 2,
  from: number,
  to: number,
  target: Uint8Array,
  start: number,
): void {
  for (let i = from, byte = start; i < to; i += 8, byte++) {
    const last = Math.min(to, i + 8);
    let packed = 0;
    for (let k = i, shift = 0; k < last; k++, shift++) {
      packed |= ((words[k * perValue] as number) & 1) << shift;
    }
    target[byte] = packed;
  }
}

/** Adds the `width` bits of `value` (at most 32, nothing above) at bit `bit` behind byte `start`. */
function putBits(target: Uint8Array, start: number, bit: number, value: number, width: number): void {
  let byte = start + (bit >>> 3);
  const shift = bit & 7;
  target[byte] = (target[byte] as number) | (value << shift);
  for (let done = 8 - shift; done < width; done += 8) {
    target[++byte] = value >>> done;
  }
}

/**
 * Unpacks `count` values of `width` bits (1 to 64) into `output[outputStart..)`. Values narrower than the elements
 * come out unsigned; where both are equally wide, the array's type decides.
 *
 * @param start byte where value 0 starts
 * @param first index of the first value wanted
 * @throws CFileError `E_TRUNCATED` when `bytes` end before the last value; `E_INVALID_ARGUMENT` when an element has
 *   fewer than `width` bits, or `output` is too small
 */
export function unpackBits(
  bytes: Uint8Array,
  width: number,
  count: number,
  output: FixedValues,
  outputStart = 0,
  start = 0,
  first = 0,
): void {
  requireElements(output, width);
  requireRange(outputStart, outputStart + count, output.length);
  requireRange(first, first + count, Number.MAX_SAFE_INTEGER);
  const needed = packedByteLength(first + count, width);
  if (!(Number.isInteger(start) && start >= 0 && needed <= bytes.length - start)) {
    throw new CFileError(
      "E_TRUNCATED",
      `packed values need ${needed} bytes, ${bytes.length - start} are left`,
      {
        offset: start,
        field: "packed values",
        expected: needed,
        actual: bytes.length - start,
      },
    );
  }
  const size = output.BYTES_PER_ELEMENT;
  if (size * 8 === width) {
    const from = start + first * size;
    bytesOf(output).set(bytes.subarray(from, from + count * size), outputStart * size);
    return;
  }
  unpackWords(bytes, start, width, first, count, integerWords(output), size === 8 ? 2 : 1, outputStart);
}

/** {@link unpackBits} without checks, into words. */
export function unpackWords(
  bytes: Uint8Array,
  start: number,
  width: number,
  first: number,
  count: number,
  words: IntegerWords,
  perValue: 1 | 2,
  outputStart: number,
): void {
  const lowWidth = Math.min(width, 32);
  const end = first + count;
  let out = outputStart * perValue;
  for (let i = first; i < end; i++) {
    const group = start + Math.floor(i / 8) * width;
    const bit = (i & 7) * width;
    words[out++] = bitsAt(bytes, group, bit, lowWidth);
    if (perValue === 2) {
      words[out++] = width > 32 ? bitsAt(bytes, group, bit + 32, width - 32) : 0;
    }
  }
}

/** The `width` bits (at most 32) at bit `bit` behind byte `start`. */
function bitsAt(bytes: Uint8Array, start: number, bit: number, width: number): number {
  let byte = start + (bit >>> 3);
  const shift = bit & 7;
  let value = (bytes[byte] as number) >>> shift;
  for (let have = 8 - shift; have < width; have += 8) {
    value |= (bytes[++byte] as number) << have;
  }
  return width === 32 ? value : value & (-1 >>> (32 - width));
}
