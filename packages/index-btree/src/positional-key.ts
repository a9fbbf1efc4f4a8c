/**
 * Keys of the positional index (docs/spec/cfile.md#72-keys).
 *
 * | part | coding |
 * | --- | --- |
 * | ordinal | u32be: the first row of a data block |
 */
import { ByteReader, corrupt, invalidArgument } from "@cfile/bytes";

/** Bytes of every positional key. */
export const POSITIONAL_KEY_LENGTH = 4;

/**
 * The key of a row ordinal.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `ordinal` is an integer of 0 to 2^32 - 1
 */
export function encodePositionalKey(ordinal: number): Uint8Array {
  if (ordinal >>> 0 !== ordinal) {
    throw invalidArgument(`${ordinal} is not a row ordinal of 32 bits`, {
      field: "ordinal",
      actual: ordinal,
    });
  }
  return Uint8Array.of(ordinal >>> 24, ordinal >>> 16, ordinal >>> 8, ordinal);
}

/**
 * The row ordinal of a key.
 *
 * @throws CFileError `E_CORRUPT` unless the key is of 4 bytes
 */
export function decodePositionalKey(key: Uint8Array): number {
  if (key.length !== POSITIONAL_KEY_LENGTH) {
    throw corrupt(`a positional key of ${key.length} bytes, it has ${POSITIONAL_KEY_LENGTH}`, {
      field: "positional key",
      expected: POSITIONAL_KEY_LENGTH,
      actual: key.length,
    });
  }
  return new ByteReader(key).u32be("positional key");
}
