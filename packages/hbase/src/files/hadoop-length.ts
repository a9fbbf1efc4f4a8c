/** Hadoop's VInt as a length (docs/spec/hfile.md#4-varints). */
import { type ByteReader, corrupt } from "@cfile/bytes";

/** @throws {CFileError} `E_TRUNCATED` when the bytes end inside, `E_CORRUPT` when it is negative or above 2^31 - 1 */
export function readHadoopLength(reader: ByteReader, field: string): number {
  const offset = reader.position;
  const first = reader.u8(field);
  if (first < 0x80) {
    return first;
  }
  // 0x8f to 0x88: one to eight more bytes of a positive number.
  const length = first >= 0x88 && first <= 0x8f ? 0x90 - first : 0;
  let value = length === 0 ? -1 : 0;
  for (let i = 0; i < length; i++) {
    value = value * 256 + reader.u8(field);
  }
  if (value < 0 || value > 0x7fffffff) {
    throw corrupt(`invalid length ${value}`, { offset, field, actual: value });
  }
  return value;
}
