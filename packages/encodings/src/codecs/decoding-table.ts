/** Looks up types and encodings in the table of encodings. */
import { CFileError } from "@cfile/bytes";
import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type { BlockDecoding, BlockOpener, DecodingTable } from "./block-codec.js";
import { DECODINGS } from "./decodings.js";
import type { openDictionaryWords } from "./dictionary/dictionary-block.js";

/** Encodings of a physical type, its default first. */
export function encodingsOf(
  physical: PhysicalType,
  table: DecodingTable = DECODINGS,
): readonly EncodingType[] {
  return table.filter(({ types }) => types.includes(physical)).map(({ encoding }) => encoding);
}

/** What a footer stores for a requested encoding: AUTO becomes the default of the type. `undefined` if the type lacks the encoding. */
export function resolveEncoding(
  type: DataType,
  requested: EncodingType,
  table: DecodingTable = DECODINGS,
): EncodingType | undefined {
  return rowOf(type, requested, table)?.encoding;
}

/**
 * Loads the opener of blocks of `type` in `encoding`: the encoded data alone, without null or array header.
 *
 * @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadBlockOpener(
  type: DataType,
  encoding: EncodingType,
  table: DecodingTable = DECODINGS,
): Promise<BlockOpener> {
  return requireRow(type, encoding, table).open(DATA_TYPES[type].physical);
}

/** Loads the reader of the words of a dictionary block. */
export async function loadDictionaryReader(): Promise<typeof openDictionaryWords> {
  return (await import("./dictionary/dictionary-block.js")).openDictionaryWords;
}

/** The row of a type's encoding, or of its default for `AUTO_ENCODING`. */
function rowOf<T extends BlockDecoding>(type: DataType, requested: EncodingType, table: readonly T[]) {
  const { physical } = DATA_TYPES[type];
  return table.find(
    ({ encoding, types }) =>
      types.includes(physical) && (requested === "AUTO_ENCODING" || requested === encoding),
  );
}

/** @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding */
export function requireRow<T extends BlockDecoding>(
  type: DataType,
  encoding: EncodingType,
  table: readonly T[],
): T {
  const row = rowOf(type, encoding, table);
  if (row === undefined) {
    const supported = encodingsOf(DATA_TYPES[type].physical, table).join(", ");
    const reason = `unsupported encoding of ${type}: ${encoding} (must be one of ${supported})`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "encoding", actual: encoding });
  }
  return row;
}
