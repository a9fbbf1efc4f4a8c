/**
 * Keys of the positional index (docs/spec/cfile.md#72-keys).
 *
 * | part | coding |
 * | --- | --- |
 * | ordinal | u32be: the first row of a data block |
 */
import { ByteReader, corrupt, invalidArgument } from "@cfile/bytes";

/** Length of every positional key in bytes. */
export const POSITIONAL_KEY_LENGTH = 4;

/**
 * The key of a row ordinal.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `ordinal` is an integer from 0 to 2^32 - 1
 */
export function encodePositionalKey(ordinal: number): Uint8Array {
  if (ordinal >>> 0 !== ordinal) {
    const details = { field: "ordinal", actual: ordinal };
    throw invalidArgument(`invalid row ordinal: ${ordinal} (must be an integer of 0 to 2^32 - 1)`, details);
  }
  return Uint8Array.of(ordinal >>> 24, ordinal >>> 16, ordinal >>> 8, ordinal);
}

/**
 * The row ordinal of a key.
 *
 * @throws {CFileError} `E_CORRUPT` unless the key has 4 bytes
 */
export function decodePositionalKey(key: Uint8Array): number {
  const field = "positional key";
  const { length: actual } = key;
  if (actual !== POSITIONAL_KEY_LENGTH) {
    const details = { field, expected: POSITIONAL_KEY_LENGTH, actual };
    throw corrupt(`${field} length mismatch (expected ${POSITIONAL_KEY_LENGTH}, found ${actual})`, details);
  }
  return new ByteReader(key).u32be(field);
}
