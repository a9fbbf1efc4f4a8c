/**
 * DELTA_LENGTH_BYTE_ARRAY: lengths as DELTA_BINARY_PACKED, then the bytes of all strings.
 *
 * DELTA_BYTE_ARRAY: lengths of the prefix that each string shares with the previous one, as DELTA_BINARY_PACKED, then the suffixes as
 * DELTA_LENGTH_BYTE_ARRAY.
 */
import { type ByteReader, corrupt } from "@cfile/bytes";
import { readDeltaIntegers } from "./delta-binary-packed.js";
import { requireDecodedSize } from "./leaf-values.js";

export interface Strings {
  /** One more than the number of strings. */
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function readDeltaLengthStrings(reader: ByteReader, count: number): Strings {
  const offset = reader.position;
  const lengths = readLengths(reader, count, "string length");
  const offsets = new Int32Array(count + 1);
  for (let i = 0, end = 0; i < count; i++) {
    end += lengths[i] as number;
    if (end > reader.remaining) {
      const reason = `strings exceed the ${reader.remaining} remaining bytes`;
      throw corrupt(reason, { field: "string length", offset });
    }
    offsets[i + 1] = end;
  }
  return { offsets, data: reader.take(offsets[count] as number, "strings") };
}

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_LIMIT` for strings of more bytes than a block can have */
export function readDeltaStrings(reader: ByteReader, count: number): Strings {
  const offset = reader.position;
  const prefixes = readLengths(reader, count, "prefix length");
  const rest = readDeltaLengthStrings(reader, count);
  const offsets = new Int32Array(count + 1);
  for (let i = 0, end = 0, before = 0; i < count; i++) {
    const prefix = prefixes[i] as number;
    if (prefix > before) {
      const reason = `invalid prefix length of string ${i}: ${prefix} (expected at most ${before})`;
      throw corrupt(reason, { offset, field: "prefix length", actual: prefix });
    }
    before = prefix + (rest.offsets[i + 1] as number) - (rest.offsets[i] as number);
    end += before;
    requireDecodedSize(end, offset);
    offsets[i + 1] = end;
  }
  const data = new Uint8Array(offsets[count] as number);
  for (let i = 0; i < count; i++) {
    const to = offsets[i] as number;
    const prefix = prefixes[i] as number;
    if (prefix > 0) {
      const from = offsets[i - 1] as number;
      data.copyWithin(to, from, from + prefix);
    }
    data.set(rest.data.subarray(rest.offsets[i], rest.offsets[i + 1]), to + prefix);
  }
  return { offsets, data };
}

function readLengths(reader: ByteReader, count: number, field: string): Int32Array {
  const offset = reader.position;
  const lengths = new Int32Array(readDeltaIntegers(reader, count, 4).buffer);
  const negative = lengths.findIndex((length) => length < 0);
  if (negative >= 0) {
    throw corrupt(`string ${negative} has a ${field} of ${lengths[negative]}`, { offset, field });
  }
  return lengths;
}
