/**
 * The readers' part of the table of encodings: the types of each, and the lazily loaded decoder of their blocks. The builders are
 * in a separate module, `encodings.ts`, so that the bundle of a reader contains none of them.
 */
import { CFileError } from "@cfile/bytes";
import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type { BlockDecoding, BlockOpener, DecodingTable } from "./block-codec.js";
import type { openDictionaryWords } from "./dictionary/dictionary-block.js";

const INTEGERS = ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64"] as const;
const BOOL = ["BOOL"] as const;
const BINARY = ["BINARY"] as const;
const FIXED = [...INTEGERS, "INT128", "FLOAT", "DOUBLE"] as const;

function decoding<P extends PhysicalType>(
  encoding: EncodingType,
  types: readonly P[],
  open: BlockDecoding<P>["open"],
): BlockDecoding<P> {
  return { encoding, types, open };
}

export const bitshuffle = /* @__PURE__ */ decoding("BIT_SHUFFLE", FIXED, async (physical) => {
  const { openBitshuffleBlock } = await import("./bitshuffle/bitshuffle-block.js");
  return (bytes, context) => openBitshuffleBlock(physical, bytes, 0, context);
});

export const dictionary = /* @__PURE__ */ decoding("DICT_ENCODING", BINARY, async () => {
  return (await import("./dictionary/dictionary-block.js")).openDictionaryBlock;
});

const openRle: BlockDecoding["open"] = async (physical) => {
  const { openRleBlock } = await import("./rle/rle-block.js");
  return (bytes, context) => openRleBlock(physical, bytes, context);
};
export const rleBool = /* @__PURE__ */ decoding("RLE", BOOL, openRle);
export const rleIntegers = /* @__PURE__ */ decoding("RLE", INTEGERS, openRle);

export const plainFixed = /* @__PURE__ */ decoding("PLAIN_ENCODING", FIXED, async (physical) => {
  const { openPlainFixedBlock } = await import("./plain/plain-fixed-block.js");
  return (bytes, context) => openPlainFixedBlock(physical, bytes, context);
});

export const plainBool = /* @__PURE__ */ decoding("PLAIN_ENCODING", BOOL, async () => {
  return (await import("./plain/plain-bool-block.js")).openPlainBoolBlock;
});

export const plainBinary = /* @__PURE__ */ decoding("PLAIN_ENCODING", BINARY, async () => {
  const { openPlainBinaryBlock } = await import("./plain/plain-binary-block.js");
  return (bytes, context) => openPlainBinaryBlock(bytes, 0, context);
});

export const prefix = /* @__PURE__ */ decoding("PREFIX_ENCODING", BINARY, async () => {
  return (await import("./prefix/prefix-block.js")).openPrefixBlock;
});

/** The part of a row that identifies it. */
type EncodedTypes = Pick<BlockDecoding, "encoding" | "types">;

/** In the order of `ENCODINGS`. */
const DECODINGS: DecodingTable = [
  bitshuffle,
  dictionary,
  rleBool,
  plainFixed,
  plainBool,
  plainBinary,
  prefix,
  rleIntegers,
];

/** Encodings of a physical type, its default first. */
export function encodingsOf(
  physical: PhysicalType,
  table: readonly EncodedTypes[] = DECODINGS,
): EncodingType[] {
  return table.filter(({ types }) => types.includes(physical)).map(({ encoding }) => encoding);
}

/** The encoding that a footer stores for a requested one: AUTO becomes the type's default. `undefined` if the type lacks it. */
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
function rowOf<T extends EncodedTypes>(type: DataType, requested: EncodingType, table: readonly T[]) {
  const { physical } = DATA_TYPES[type];
  return table.find(
    ({ encoding, types }) =>
      types.includes(physical) && (requested === "AUTO_ENCODING" || requested === encoding),
  );
}

/** @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding */
export function requireRow<T extends EncodedTypes>(
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
