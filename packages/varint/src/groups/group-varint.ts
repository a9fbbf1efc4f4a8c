/**
 * Group varint: four unsigned 32-bit integers under one selector byte (docs/spec/cfile.md#13-group-varint).
 *
 * | part | width | meaning |
 * | --- | --- | --- |
 * | selector | 1 | bits 7-6: bytes of `a` less one; 5-4: of `b`; 3-2: of `c`; 1-0: of `d` |
 * | `a`, `b`, `c`, `d` | 1 … 4 each | little-endian, as few bytes as the value needs, at least one |
 */
import { type ByteBuilder, type ByteReader, invalidArgument } from "@cfile/bytes";

/** Fewest bytes a group takes: the selector and one byte a value. */
export const MIN_GROUP_LENGTH = 5;

/** Most bytes a group takes. */
export const MAX_GROUP_LENGTH = 17;

/** Bytes that the group with this selector takes, the selector included: 5 to 17. */
export function groupVarintLength(selector: number): number {
  return (
    MIN_GROUP_LENGTH + (selector >>> 6) + ((selector >>> 4) & 3) + ((selector >>> 2) & 3) + (selector & 3)
  );
}

/**
 * Reads one group into `output[outputStart .. outputStart + 3]`. In an `Int32Array` values of 2^31 and above
 * appear negative.
 *
 * @throws CFileError `E_TRUNCATED` when the group does not fit into the remaining bytes; `E_INVALID_ARGUMENT` when
 *   `output` has no room for four integers
 */
export function readGroupVarint(
  reader: ByteReader,
  output: Uint32Array | Int32Array,
  outputStart = 0,
  field = "group varint",
): void {
  if (!(outputStart >= 0 && outputStart + 4 <= output.length)) {
    throw invalidArgument("four integers do not fit into the output", { field });
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
 * @throws CFileError `E_INVALID_ARGUMENT` unless all four are integers of 0 to 2^32 - 1
 */
export function writeGroupVarint(out: ByteBuilder, a: number, b: number, c: number, d: number): void {
  requireUnsigned(a, b, c, d);
  const buffer = out.reserve(MAX_GROUP_LENGTH);
  const start = out.length;
  let position = putValue(buffer, start + 1, a);
  let selector = (position - start - 2) << 6;
  let next = putValue(buffer, position, b);
  selector |= (next - position - 1) << 4;
  position = putValue(buffer, next, c);
  selector |= (position - next - 1) << 2;
  next = putValue(buffer, position, d);
  buffer[start] = selector | (next - position - 1);
  out.length = next;
}

/** @throws CFileError `E_INVALID_ARGUMENT` unless all four are integers of 0 to 2^32 - 1 */
export function requireUnsigned(a: number, b: number, c: number, d: number): void {
  if (a >>> 0 !== a || b >>> 0 !== b || c >>> 0 !== c || d >>> 0 !== d) {
    throw invalidArgument(`${a}, ${b}, ${c}, ${d}: unsigned 32-bit integers are expected`, {
      field: "group varint",
    });
  }
}

/** Writes the bytes of `value` that count and returns the position behind them. */
function putValue(buffer: Uint8Array, position: number, value: number): number {
  buffer[position++] = value;
  for (value >>>= 8; value !== 0; value >>>= 8) {
    buffer[position++] = value;
  }
  return position;
}
