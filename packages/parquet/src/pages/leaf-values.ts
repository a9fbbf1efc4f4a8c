/**
 * Values of a page without nulls: PLAIN (docs/spec/parquet.md#7-plain) and dictionary codes.
 *
 * | type | bytes of a value |
 * | --- | --- |
 * | BOOLEAN | a bit, least significant first |
 * | INT32, FLOAT · INT64, DOUBLE · INT96 | 4 · 8 · 12, little-endian |
 * | BYTE_ARRAY | u32 length, bytes |
 * | FIXED_LEN_BYTE_ARRAY | fixed by the schema |
 */
import { type ByteReader, CFileError, corrupt, invalidArgument } from "@cfile/bytes";
import { DEFAULT_MAX_DECODED_BYTES } from "@cfile/encodings";
import { RleDecoder } from "@cfile/encodings/rle";
import type { ParquetType } from "hyparquet";
import type { Leaf } from "../schema/leaf-schema.js";

export type LeafValues = { readonly length: number } & (
  | { readonly kind: "bool"; readonly bits: Uint8Array }
  | { readonly kind: "fixed"; readonly width: number; readonly bytes: Uint8Array }
  | { readonly kind: "binary"; readonly offsets: Int32Array; readonly data: Uint8Array }
  | { readonly kind: "codes"; readonly codes: Int32Array; readonly words: LeafValues }
);

const WIDTHS: Readonly<Partial<Record<ParquetType, number>>> = /* @__PURE__ */ Object.freeze({
  BOOLEAN: 0,
  INT32: 4,
  FLOAT: 4,
  INT64: 8,
  DOUBLE: 8,
  INT96: 12,
});

/** Bytes per value: 0 for bits, `undefined` for variable lengths. */
export function leafWidth({ type, element }: Leaf): number | undefined {
  if (type !== "FIXED_LEN_BYTE_ARRAY") {
    return WIDTHS[type];
  }
  const { type_length: length = 0 } = element;
  if (length < 1) {
    throw corrupt("FIXED_LEN_BYTE_ARRAY has no length", { field: "type_length" });
  }
  return length;
}

/**
 * Reads `count` PLAIN values. Bytes after the last one are ignored, as in other readers.
 * @throws {CFileError} `E_TRUNCATED` for fewer values
 */
export function plainValues(reader: ByteReader, count: number, width: number | undefined): LeafValues {
  if (width === 0) {
    return { kind: "bool", length: count, bits: reader.take(Math.ceil(count / 8), "values") };
  }
  if (width !== undefined) {
    return { kind: "fixed", length: count, width, bytes: reader.take(count * width, "values") };
  }
  const { bytes, position: start } = reader;
  reader.require(4 * count, "values");
  const offsets = new Int32Array(count + 1);
  let size = 0;
  for (let i = 0; i < count; i++) {
    const length = reader.u32le("value length");
    reader.skip(length, "value");
    size += length;
    offsets[i + 1] = size;
  }
  // Headers state sizes with 31 bits, so the offsets do not overflow.
  const data = new Uint8Array(size);
  let from = start;
  for (let i = 0; i < count; i++) {
    const to = offsets[i] as number;
    const length = (offsets[i + 1] as number) - to;
    from += 4;
    data.set(bytes.subarray(from, from + length), to);
    from += length;
  }
  return { kind: "binary", length: count, offsets, data };
}

/** Booleans with RLE (docs/spec/parquet.md#6-rle-and-bit-packing): u32 length, then runs of width 1. */
export function rleBooleans(reader: ByteReader, count: number): LeafValues {
  const bits = new Uint8Array(Math.ceil(count / 8));
  if (count > 0) {
    const length = reader.u32le("RLE length");
    reader.require(length, "RLE values");
    const { bytes, position } = reader;
    new RleDecoder(bytes, position, position + length, 1).decodeBits(bits, 0, count);
  }
  return { kind: "bool", length: count, bits };
}

/** Codes of a dictionary (docs/spec/parquet.md#8-dictionary): a byte with their width, then runs. */
export function dictionaryCodes(reader: ByteReader, count: number, words: LeafValues): LeafValues {
  const codes = new Int32Array(count);
  const { bytes, position: offset } = reader;
  if (count > 0) {
    const width = reader.u8("index width");
    if (width > 32) {
      const reason = `invalid index width: ${width} bits (must be at most 32)`;
      throw corrupt(reason, { offset, field: "index width", actual: width });
    }
    if (width > 0) {
      new RleDecoder(bytes, offset + 1, bytes.length, width).decodeInto(codes, 0, count);
    }
  }
  for (let i = 0; i < count; i++) {
    const code = (codes[i] as number) >>> 0;
    if (code >= words.length) {
      const reason = `invalid index of value ${i}: ${code} (dictionary of ${words.length} entries)`;
      throw corrupt(reason, { field: "index", offset });
    }
  }
  return { kind: "codes", length: count, codes, words };
}

/** @throws {CFileError} `E_LIMIT` for strings of more bytes than a block can have */
export function requireDecodedSize(size: number, offset?: number): void {
  if (size > DEFAULT_MAX_DECODED_BYTES) {
    const reason = `strings of a page exceed ${DEFAULT_MAX_DECODED_BYTES} bytes`;
    throw new CFileError("E_LIMIT", reason, { field: "values", offset });
  }
}

/** Replaces dictionary codes with their values. */
export function expandCodes(values: LeafValues): Exclude<LeafValues, { kind: "codes" }> {
  if (values.kind !== "codes") {
    return values;
  }
  const { codes, length } = values;
  const words = expandCodes(values.words);
  switch (words.kind) {
    case "bool":
      throw invalidArgument("a dictionary of booleans", { field: "dictionary" });
    case "fixed": {
      const { width } = words;
      const bytes = new Uint8Array(length * width);
      for (let i = 0; i < length; i++) {
        const from = (codes[i] as number) * width;
        bytes.set(words.bytes.subarray(from, from + width), i * width);
      }
      return { kind: "fixed", length, width, bytes };
    }
    case "binary": {
      const offsets = new Int32Array(length + 1);
      let size = 0;
      for (let i = 0; i < length; i++) {
        const code = codes[i] as number;
        size += (words.offsets[code + 1] as number) - (words.offsets[code] as number);
        requireDecodedSize(size);
        offsets[i + 1] = size;
      }
      const data = new Uint8Array(size);
      for (let i = 0; i < length; i++) {
        const code = codes[i] as number;
        data.set(words.data.subarray(words.offsets[code], words.offsets[code + 1]), offsets[i]);
      }
      return { kind: "binary", length, offsets, data };
    }
  }
}
