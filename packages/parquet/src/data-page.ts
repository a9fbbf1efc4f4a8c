/**
 * Data pages (specification 3 and 4): repetition levels, definition levels, values.
 *
 * | v1, compressed as a whole | v2, values alone compressed |
 * | --- | --- |
 * | u32 length and runs of repetition levels, where there are any | runs, as many bytes as the header says |
 * | the same of definition levels | the same |
 * | values | values |
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { RleDecoder } from "@cfile/encodings";
import type { Leaf } from "./leaf-schema.js";
import { dictionaryCodes, type LeafValues, leafWidth, plainValues, rleBooleans } from "./leaf-values.js";
import { type PageHeader, PLAIN, PLAIN_DICTIONARY, RLE, RLE_DICTIONARY } from "./page-header.js";

export interface DataPage {
  /** Number of levels: values and nulls. */
  readonly length: number;
  /** `undefined` where the greatest level is 0. */
  readonly definitions: Uint8Array | undefined;
  readonly repetitions: Uint8Array | undefined;
  /** Those that are not null. */
  readonly values: LeafValues;
}

/** Decompresses to exactly so many bytes. */
export type Expand = (stored: Uint8Array, size: number) => Uint8Array;

/**
 * @param stored the page's bytes
 * @throws CFileError `E_CORRUPT`, `E_TRUNCATED`; `E_UNSUPPORTED` for encodings that are not PLAIN, RLE or a dictionary's
 */
export function readDataPage(
  stored: Uint8Array,
  header: PageHeader,
  leaf: Leaf,
  words: LeafValues | undefined,
  expand: Expand,
): DataPage {
  return header.kind === "data-v1"
    ? readV1(expand(stored, header.uncompressedSize), header, leaf, words)
    : readV2(stored, header, leaf, words, expand);
}

function readV1(bytes: Uint8Array, header: PageHeader, leaf: Leaf, words: LeafValues | undefined): DataPage {
  const reader = new ByteReader(bytes);
  const { valueCount: length } = header;
  const levels = (most: number, encoding: number, field: string): Uint8Array | undefined => {
    if (most === 0) {
      return undefined;
    }
    if (encoding !== RLE) {
      throw new CFileError("E_UNSUPPORTED", `${field} with encoding ${encoding}`, { field });
    }
    const size = reader.u32le(`${field} length`);
    reader.skip(size, field);
    return readLevels(bytes, reader.position - size, reader.position, most, length, field);
  };
  const repetitions = levels(leaf.maxRepetition, header.repetitionEncoding, "repetition levels");
  const definitions = levels(leaf.maxDefinition, header.definitionEncoding, "definition levels");
  return pageOf(bytes, reader.position, header, leaf, words, repetitions, definitions);
}

function readV2(
  stored: Uint8Array,
  header: PageHeader,
  leaf: Leaf,
  words: LeafValues | undefined,
  expand: Expand,
): DataPage {
  const { repetitionBytes, definitionBytes, valueCount, uncompressedSize } = header;
  const levelBytes = repetitionBytes + definitionBytes;
  if (levelBytes > stored.length || levelBytes > uncompressedSize) {
    throw corrupt(`levels of ${levelBytes} bytes in a page of ${stored.length}`, { field: "levels" });
  }
  const read = (most: number, from: number, to: number, field: string): Uint8Array | undefined =>
    most === 0 ? undefined : readLevels(stored, from, to, most, valueCount, field);
  const repetitions = read(leaf.maxRepetition, 0, repetitionBytes, "repetition levels");
  const definitions = read(leaf.maxDefinition, repetitionBytes, levelBytes, "definition levels");
  const body = stored.subarray(levelBytes);
  const size = uncompressedSize - levelBytes;
  const values = body.length === 0 ? body : header.isCompressed ? expand(body, size) : body;
  return pageOf(values, 0, header, leaf, words, repetitions, definitions);
}

function readLevels(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  count: number,
  field: string,
): Uint8Array {
  const levels = new Uint8Array(count);
  if (count > 0) {
    new RleDecoder(bytes, start, end, 32 - Math.clz32(most)).decodeInto(levels, 0, count);
  }
  for (let i = 0; i < count; i++) {
    if ((levels[i] as number) > most) {
      throw corrupt(`level ${levels[i]}, at most ${most} is expected`, { offset: start, field });
    }
  }
  return levels;
}

function pageOf(
  bytes: Uint8Array,
  start: number,
  header: PageHeader,
  leaf: Leaf,
  words: LeafValues | undefined,
  repetitions: Uint8Array | undefined,
  definitions: Uint8Array | undefined,
): DataPage {
  const { valueCount: length, encoding, nullCount } = header;
  let present = length;
  if (definitions !== undefined) {
    present = 0;
    for (let i = 0; i < length; i++) {
      present += definitions[i] === leaf.maxDefinition ? 1 : 0;
    }
  }
  if (nullCount !== undefined && leaf.maxRepetition === 0 && length - present !== nullCount) {
    throw corrupt(`${length - present} nulls, the header says ${nullCount}`, { field: "number of nulls" });
  }
  const width = leafWidth(leaf.type, leaf.element.type_length);
  const values = (): LeafValues => {
    switch (encoding) {
      case PLAIN:
        return plainValues(bytes, start, present, width);
      case RLE:
        if (width === 0) {
          return rleBooleans(bytes, start, present);
        }
        break;
      case PLAIN_DICTIONARY:
      case RLE_DICTIONARY:
        if (words === undefined) {
          throw corrupt("codes without a dictionary", { field: "dictionary page" });
        }
        return dictionaryCodes(bytes, start, present, words);
    }
    throw new CFileError("E_UNSUPPORTED", `values with encoding ${encoding}`, {
      field: "encoding",
      actual: encoding,
    });
  };
  return { length, definitions, repetitions, values: values() };
}
