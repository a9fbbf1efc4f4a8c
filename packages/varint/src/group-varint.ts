/**
 * @module @cfile/varint/group-varint: group varints, and sequences of them.
 *
 * A group varint is four unsigned 32-bit integers under one selector byte (docs/spec/cfile.md#13-group-varint).
 *
 * | part | width | meaning |
 * | --- | --- | --- |
 * | selector | 1 | bits 7-6: bytes of `a` minus one; 5-4: of `b`; 3-2: of `c`; 1-0: of `d` |
 * | `a`, `b`, `c`, `d` | 1 … 4 each | little-endian, in as few bytes as possible, at least one |
 *
 * A sequence is any number of integers, each minus a frame of reference, in `ceil(n / 4)` groups
 * (docs/spec/cfile.md#14-group-varint-sequence). The last group is padded with zeros; the count is not stored, and an empty
 * sequence has no bytes.
 */
import { type ByteBuilder, type ByteReader, invalidArgument } from "@cfile/bytes";

/** Minimum length of a group in bytes: the selector and one byte per value. */
export const MIN_GROUP_LENGTH = 5;

/** Maximum length of a group in bytes. */
export const MAX_GROUP_LENGTH = 17;

/** Length of the group with this selector, 5 to 17 bytes. */
export function groupVarintLength(selector: number): number {
  return (
    MIN_GROUP_LENGTH + (selector >>> 6) + ((selector >>> 4) & 3) + ((selector >>> 2) & 3) + (selector & 3)
  );
}

/**
 * Reads one group into `output[outputStart .. outputStart + 3]`. In an `Int32Array`, values of 2^31 and above are negative.
 *
 * @throws {CFileError} `E_TRUNCATED` when the group exceeds the remaining bytes; `E_INVALID_ARGUMENT` when `output` has no room
 *   for four integers
 */
export function readGroupVarint(
  reader: ByteReader,
  output: Uint32Array | Int32Array,
  outputStart = 0,
  field = "group varint",
): void {
  if (!(outputStart >= 0 && outputStart + 4 <= output.length)) {
    throw invalidArgument("output has no room for four integers", { field });
  }
  reader.require(1, field);
  const { bytes } = reader;
  const selector = bytes[reader.position] as number;
  reader.require(groupVarintLength(selector), field);
  let position = reader.position + 1;
  for (let i = 0; i < 4; i++) {
    const last = position + ((selector >>> (6 - 2 * i)) & 3);
    let value = 0;
    for (let shift = 0; position <= last; position++, shift += 8) {
      value |= (bytes[position] as number) << shift;
    }
    output[outputStart + i] = value;
  }
  reader.position = position;
}

/**
 * Appends one group, 5 to 17 bytes.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless all four are integers from 0 to 2^32 - 1
 */
export function writeGroupVarint(out: ByteBuilder, a: number, b: number, c: number, d: number): void {
  writeWholeGroups(out, [a, b, c, d], 0, 4, 0);
}

/**
 * Appends `values[from..to)`, each minus `frameOfReference`.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless every difference is an integer from 0 to 2^32 - 1
 */
export function writeGroupVarintSequence(
  out: ByteBuilder,
  values: ArrayLike<number>,
  from = 0,
  to = values.length,
  frameOfReference = 0,
): void {
  const i = writeWholeGroups(out, values, from, to, frameOfReference);
  if (i < to) {
    const rest = (k: number): number => (i + k < to ? (values[i + k] as number) - frameOfReference : 0);
    writeGroupVarint(out, rest(0), rest(1), rest(2), 0);
  }
}

/** Writes all groups of four integers; returns the index after them. */
function writeWholeGroups(
  out: ByteBuilder,
  values: ArrayLike<number>,
  from: number,
  to: number,
  frameOfReference: number,
): number {
  const end = from + 4 * Math.floor(Math.max(0, to - from) / 4);
  // Each value is stored as a whole word, and the next one overwrites the excess bytes, so the last value requires room for them.
  const { buffer, byteLength, byteOffset } = out.reserve(((end - from) / 4) * MAX_GROUP_LENGTH + 4);
  const view = new DataView(buffer, byteOffset, byteLength);
  let position = out.length;
  for (let i = from; i < end; i += 4) {
    const a = (values[i] as number) - frameOfReference;
    const b = (values[i + 1] as number) - frameOfReference;
    const c = (values[i + 2] as number) - frameOfReference;
    const d = (values[i + 3] as number) - frameOfReference;
    requireUnsigned(a, b, c, d);
    const lengthA = lengthMinusOne(a);
    const lengthB = lengthMinusOne(b);
    const lengthC = lengthMinusOne(c);
    const lengthD = lengthMinusOne(d);
    view.setUint8(position, (lengthA << 6) | (lengthB << 4) | (lengthC << 2) | lengthD);
    view.setInt32(position + 1, a, true);
    position += 2 + lengthA;
    view.setInt32(position, b, true);
    position += 1 + lengthB;
    view.setInt32(position, c, true);
    position += 1 + lengthC;
    view.setInt32(position, d, true);
    position += 1 + lengthD;
  }
  out.length = position;
  return end;
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless all four are integers from 0 to 2^32 - 1 */
function requireUnsigned(a: number, b: number, c: number, d: number): void {
  if (a >>> 0 !== a || b >>> 0 !== b || c >>> 0 !== c || d >>> 0 !== d) {
    const reason = `invalid group varint: ${a}, ${b}, ${c}, ${d} (must be unsigned 32-bit integers)`;
    throw invalidArgument(reason, { field: "group varint" });
  }
}

/** Length of a value in bytes, minus one, as stored in a selector. */
function lengthMinusOne(value: number): number {
  return (31 - Math.clz32(value | 1)) >>> 3;
}

/**
 * Reads `count` integers to the start of `output` and adds `frameOfReference` to each. Sums wrap at 32 bits; in an
 * `Int32Array`, values of 2^31 and above are negative. Padding of the last group is ignored.
 *
 * @throws {CFileError} `E_TRUNCATED` when the groups exceed the remaining bytes; `E_INVALID_ARGUMENT` when `output` is too small
 */
export function readGroupVarintSequence(
  reader: ByteReader,
  count: number,
  output: Int32Array | Uint32Array,
  frameOfReference = 0,
  field = "group varint sequence",
): void {
  reader.require(Math.ceil(count / 4) * MIN_GROUP_LENGTH, field);
  if (!(count >= 0 && count <= output.length)) {
    throw invalidArgument(`${count} integers exceed an output of ${output.length}`, { field });
  }
  let out = readWholeGroups(reader, output, count, field);
  if (out < count) {
    const last = new Uint32Array(4);
    readGroupVarint(reader, last, 0, field);
    for (let i = 0; out < count; i++, out++) {
      output[out] = last[i] as number;
    }
  }
  if (frameOfReference !== 0) {
    for (let i = 0; i < count; i++) {
      output[i] = (output[i] as number) + frameOfReference;
    }
  }
}

/** Reads all groups of four integers; returns the index after them. */
function readWholeGroups(
  reader: ByteReader,
  output: Int32Array | Uint32Array,
  count: number,
  field: string,
): number {
  const { bytes, end } = reader;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lastGroup = count - 4;
  let position = reader.position;
  let out = 0;
  // Whole words are loaded and masked: with room for the longest group, no load passes the end.
  for (const lastWide = end - MAX_GROUP_LENGTH; out <= lastGroup && position <= lastWide; out += 4) {
    const selector = bytes[position++] as number;
    const a = selector >>> 6;
    output[out] = view.getInt32(position, true) & (-1 >>> (24 - 8 * a));
    position += a + 1;
    const b = (selector >>> 4) & 3;
    output[out + 1] = view.getInt32(position, true) & (-1 >>> (24 - 8 * b));
    position += b + 1;
    const c = (selector >>> 2) & 3;
    output[out + 2] = view.getInt32(position, true) & (-1 >>> (24 - 8 * c));
    position += c + 1;
    const d = selector & 3;
    output[out + 3] = view.getInt32(position, true) & (-1 >>> (24 - 8 * d));
    position += d + 1;
  }
  reader.position = position;
  for (; out <= lastGroup; out += 4) {
    readGroupVarint(reader, output, out, field);
  }
  return out;
}
