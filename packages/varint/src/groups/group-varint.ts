/**
 * Group varint: four unsigned 32-bit integers under one selector byte (docs/spec/cfile.md#13-group-varint).
 *
 * | part | width | meaning |
 * | --- | --- | --- |
 * | selector | 1 | bits 7-6: bytes of `a` less one; 5-4: of `b`; 3-2: of `c`; 1-0: of `d` |
 * | `a`, `b`, `c`, `d` | 1 … 4 each | little-endian, as few bytes as the value needs, at least one |
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
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless all four are integers of 0 to 2^32 - 1
 */
export function writeGroupVarint(out: ByteBuilder, a: number, b: number, c: number, d: number): void {
  requireUnsigned(a, b, c, d);
  const buffer = out.reserve(MAX_GROUP_LENGTH);
  const start = out.length;
  const endA = putValue(buffer, start + 1, a);
  const endB = putValue(buffer, endA, b);
  const endC = putValue(buffer, endB, c);
  out.length = putValue(buffer, endC, d);
  const lengths = ((endA - start - 2) << 6) | ((endB - endA - 1) << 4) | ((endC - endB - 1) << 2);
  buffer[start] = lengths | (out.length - endC - 1);
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless all four are integers of 0 to 2^32 - 1 */
export function requireUnsigned(a: number, b: number, c: number, d: number): void {
  if (a >>> 0 !== a || b >>> 0 !== b || c >>> 0 !== c || d >>> 0 !== d) {
    const reason = `invalid group varint: ${a}, ${b}, ${c}, ${d} (must be unsigned 32-bit integers)`;
    throw invalidArgument(reason, { field: "group varint" });
  }
}

/** Writes `value` without leading zero bytes, and returns the next position. */
function putValue(buffer: Uint8Array, position: number, value: number): number {
  buffer[position++] = value;
  for (value >>>= 8; value !== 0; value >>>= 8) {
    buffer[position++] = value;
  }
  return position;
}
