/**
 * Data pages (docs/spec/parquet.md#3-data-page-v1 and docs/spec/parquet.md#4-data-page-v2): repetition levels, definition
 * levels, values.
 *
 * | v1, compressed as a whole | v2, only values compressed |
 * | --- | --- |
 * | u32 length and runs of repetition levels, if any | runs; the header has their length |
 * | the same for definition levels | the same |
 * | values | values |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { RleDecoder } from "@cfile/encodings/rle";
import type { Leaf } from "../schema/leaf-schema.js";
import { readDeltaIntegers } from "./delta-binary-packed.js";
import { readDeltaLengthStrings, readDeltaStrings, type Strings } from "./delta-byte-array.js";
import { dictionaryCodes, type LeafValues, leafWidth, plainValues, rleBooleans } from "./leaf-values.js";
import type { PageExpander } from "./page-codec.js";
import type { PageHeader } from "./page-header.js";

export interface DataPage {
  /** Number of levels: values and nulls. */
  readonly length: number;
  /** `undefined` when the maximum level is 0. */
  readonly definitions: Uint8Array | undefined;
  readonly repetitions: Uint8Array | undefined;
  /** Values that are not null. */
  readonly values: LeafValues;
}

/**
 * @param stored the page's bytes
 * @throws {CFileError} `E_CORRUPT`, `E_TRUNCATED`; `E_UNSUPPORTED` for unknown encodings
 */
export function readDataPage(stored: Uint8Array, page: CodedPage, expand: PageExpander): DataPage {
  return page.header.kind === "data-v1"
    ? readV1(expand(stored, page.header.uncompressedSize), page)
    : readV2(stored, page, expand);
}

/** A page header, and what decoding its page requires. */
export interface CodedPage {
  readonly header: PageHeader;
  readonly leaf: Leaf;
  /** The chunk's dictionary. */
  readonly words: LeafValues | undefined;
}

function readV1(bytes: Uint8Array, page: CodedPage): DataPage {
  const reader = new ByteReader(bytes);
  const { header, leaf } = page;
  const { valueCount: length } = header;
  const levels = (maxLevel: number, encoding: string, field: string): Uint8Array | undefined => {
    if (maxLevel === 0) {
      return undefined;
    }
    if (encoding === "BIT_PACKED") {
      const start = reader.position;
      const width = 32 - Math.clz32(maxLevel);
      reader.skip(Math.ceil((length * width) / 8), field);
      return checkedLevels(bitPackedLevels(bytes, start, width, length), maxLevel, start, field);
    }
    if (encoding !== "RLE") {
      throw new CFileError("E_UNSUPPORTED", `unsupported encoding ${encoding} of ${field}`, { field });
    }
    const size = reader.u32le(`${field} length`);
    reader.skip(size, field);
    const runs = new ByteReader(bytes, reader.position - size, reader.position);
    return readLevels(runs, maxLevel, length, field);
  };
  const repetitions = levels(leaf.maxRepetition, header.repetitionEncoding, "repetition levels");
  const definitions = levels(leaf.maxDefinition, header.definitionEncoding, "definition levels");
  return pageOf(reader, page, { repetitions, definitions });
}

function readV2(stored: Uint8Array, page: CodedPage, expand: PageExpander): DataPage {
  const { header, leaf } = page;
  const { repetitionBytes, definitionBytes, valueCount, uncompressedSize } = header;
  const levelBytes = repetitionBytes + definitionBytes;
  if (levelBytes > stored.length || levelBytes > uncompressedSize) {
    throw corrupt(`levels of ${levelBytes} bytes in a page of ${stored.length}`, { field: "levels" });
  }
  const read = (maxLevel: number, from: number, to: number, field: string): Uint8Array | undefined =>
    maxLevel === 0 ? undefined : readLevels(new ByteReader(stored, from, to), maxLevel, valueCount, field);
  const repetitions = read(leaf.maxRepetition, 0, repetitionBytes, "repetition levels");
  const definitions = read(leaf.maxDefinition, repetitionBytes, levelBytes, "definition levels");
  const body = stored.subarray(levelBytes);
  const size = uncompressedSize - levelBytes;
  const values = body.length === 0 ? body : header.isCompressed ? expand(body, size) : body;
  return pageOf(new ByteReader(values), page, { repetitions, definitions });
}

function readLevels(
  { bytes, position, end }: ByteReader,
  maxLevel: number,
  count: number,
  field: string,
): Uint8Array {
  const levels = new Uint8Array(count);
  if (count > 0) {
    new RleDecoder(bytes, position, end, 32 - Math.clz32(maxLevel)).decodeInto(levels, 0, count);
  }
  return checkedLevels(levels, maxLevel, position, field);
}

function checkedLevels(levels: Uint8Array, maxLevel: number, offset: number, field: string): Uint8Array {
  // All values of this width are valid levels.
  const isAny = (maxLevel & (maxLevel + 1)) === 0;
  for (let i = 0; !isAny && i < levels.length; i++) {
    if ((levels[i] as number) > maxLevel) {
      throw corrupt(`invalid level: ${levels[i]} (expected at most ${maxLevel})`, { offset, field });
    }
  }
  return levels;
}

/** Levels of old writers: bit-packed, most significant bit first, without a length. */
function bitPackedLevels(bytes: Uint8Array, start: number, width: number, count: number): Uint8Array {
  const levels = new Uint8Array(count);
  for (let i = 0, at = 8 * start; i < count; i++) {
    let level = 0;
    for (let bit = 0; bit < width; bit++, at++) {
      level = (level << 1) | (((bytes[at >>> 3] as number) >>> (7 - (at & 7))) & 1);
    }
    levels[i] = level;
  }
  return levels;
}

/** @param reader positioned at the values */
function pageOf(
  reader: ByteReader,
  page: CodedPage,
  { repetitions, definitions }: Pick<DataPage, "repetitions" | "definitions">,
): DataPage {
  const { header, leaf } = page;
  const { valueCount: length, nullCount } = header;
  const present = presentCount(definitions, leaf, 0, length);
  if (nullCount !== undefined && leaf.maxRepetition === 0 && length - present !== nullCount) {
    throw corrupt(`page has ${length - present} nulls (expected ${nullCount})`, { field: "number of nulls" });
  }
  return { length, definitions, repetitions, values: pageValues(reader, page, present) };
}

/** Number of values that are not null in the levels `from` to `to`. */
export function presentCount(
  definitions: Uint8Array | undefined,
  leaf: Leaf,
  from: number,
  to: number,
): number {
  if (definitions === undefined) {
    return to - from;
  }
  let present = 0;
  for (let i = from; i < to; i++) {
    present += definitions[i] === leaf.maxDefinition ? 1 : 0;
  }
  return present;
}

/**
 * Reads `count` values at the reader's position.
 * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT`; `E_UNSUPPORTED` for an encoding that is unknown or does not apply to the type
 */
function pageValues(reader: ByteReader, { header, leaf, words }: CodedPage, count: number): LeafValues {
  const { type } = leaf;
  const { encoding } = header;
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
