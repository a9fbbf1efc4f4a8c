/** Values of a data page, by encoding and type (docs/spec/parquet.md#2-page-header). */
import { type ByteReader, CFileError, corrupt } from "@cfile/bytes";
import type { Leaf } from "../schema/leaf-schema.js";
import { readDeltaIntegers } from "./delta-binary-packed.js";
import { readDeltaLengthStrings, readDeltaStrings, type Strings } from "./delta-byte-array.js";
import { dictionaryCodes, type LeafValues, leafWidth, plainValues, rleBooleans } from "./leaf-values.js";

/**
 * Reads `count` values at the reader's position.
 * @param words of the chunk's dictionary, if it has one
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_UNSUPPORTED` for an encoding that there is not, or not for the type
 */
export function pageValues(
  reader: ByteReader,
  encoding: string,
  count: number,
  leaf: Leaf,
  words: LeafValues | undefined,
): LeafValues {
  const { type } = leaf;
  const width = leafWidth(leaf);
  switch (encoding) {
    case "PLAIN":
      return plainValues(reader, count, width);
    case "PLAIN_DICTIONARY":
    case "RLE_DICTIONARY":
      if (words === undefined) {
        throw corrupt("dictionary codes without a dictionary", { field: "dictionary page" });
      }
      return dictionaryCodes(reader, count, words);
    case "RLE":
      if (width === 0) {
        return rleBooleans(reader, count);
      }
      break;
    case "DELTA_BINARY_PACKED":
      if (type === "INT32" || type === "INT64") {
        const own = type === "INT32" ? 4 : 8;
        return { kind: "fixed", length: count, width: own, bytes: readDeltaIntegers(reader, count, own) };
      }
      break;
    case "DELTA_LENGTH_BYTE_ARRAY":
      if (width === undefined) {
        return { kind: "binary", length: count, ...readDeltaLengthStrings(reader, count) };
      }
      break;
    case "DELTA_BYTE_ARRAY":
      if (width === undefined) {
        return { kind: "binary", length: count, ...readDeltaStrings(reader, count) };
      }
      if (type === "FIXED_LEN_BYTE_ARRAY") {
        return ofFixedWidth(readDeltaStrings(reader, count), count, width);
      }
      break;
    case "BYTE_STREAM_SPLIT":
      if (width !== undefined && width > 0 && type !== "INT96") {
        return { kind: "fixed", length: count, width, bytes: readByteStreams(reader, count, width) };
      }
      break;
  }
  const reason = `unsupported encoding ${encoding} of ${type}`;
  throw new CFileError("E_UNSUPPORTED", reason, { field: "encoding", actual: encoding });
}

function ofFixedWidth({ offsets, data }: Strings, count: number, width: number): LeafValues {
  for (let i = 1; i <= count; i++) {
    if (offsets[i] !== i * width) {
      throw corrupt(`value ${i - 1} does not have ${width} bytes`, { field: "string length" });
    }
  }
  return { kind: "fixed", length: count, width, bytes: data };
}

/** BYTE_STREAM_SPLIT: the first bytes of all values, then their second bytes, and so on. */
function readByteStreams(reader: ByteReader, count: number, width: number): Uint8Array {
  const streams = reader.take(count * width, "BYTE_STREAM_SPLIT");
  const values = new Uint8Array(count * width);
  for (let stream = 0; stream < width; stream++) {
    for (let i = 0, from = stream * count; i < count; i++) {
      values[i * width + stream] = streams[from + i] as number;
    }
  }
  return values;
}
