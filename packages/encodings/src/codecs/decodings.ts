/**
 * The table of encodings, as reading needs it: which types have which, and what opens their blocks. The code of a row is loaded
 * when a file has the encoding. `encodings.ts` adds what builds blocks: a page that only reads has none of it in its bundle.
 */
import type { FixedPhysicalType } from "../types/data-type.js";
import type { BlockDecoding, DecodingTable } from "./block-codec.js";

const INTEGERS = ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64"] as const;
const FIXED = [...INTEGERS, "INT128", "FLOAT", "DOUBLE"] as const;

export const bitshuffle: BlockDecoding<FixedPhysicalType> = {
  encoding: "BIT_SHUFFLE",
  types: FIXED,
  async open(physical) {
    const { openBitshuffleBlock } = await import("./bitshuffle/bitshuffle-block.js");
    return (bytes, context) => openBitshuffleBlock(physical, bytes, 0, context);
  },
};

export const dictionary: BlockDecoding = {
  encoding: "DICT_ENCODING",
  types: ["BINARY"],
  open: async () => (await import("./dictionary/dictionary-block.js")).openDictionaryBlock,
};

export const rleBool: BlockDecoding = {
  encoding: "RLE",
  types: ["BOOL"],
  async open(physical) {
    const { openRleBlock } = await import("./rle/rle-block.js");
    return (bytes, context) => openRleBlock(physical, bytes, context);
  },
};

export const plainFixed: BlockDecoding<FixedPhysicalType> = {
  encoding: "PLAIN_ENCODING",
  types: FIXED,
  async open(physical) {
    const { openPlainFixedBlock } = await import("./plain/plain-fixed-block.js");
    return (bytes, context) => openPlainFixedBlock(physical, bytes, context);
  },
};

export const plainBool: BlockDecoding = {
  encoding: "PLAIN_ENCODING",
  types: ["BOOL"],
  open: async () => (await import("./plain/plain-bool-block.js")).openPlainBoolBlock,
};

export const plainBinary: BlockDecoding = {
  encoding: "PLAIN_ENCODING",
  types: ["BINARY"],
  async open() {
    const { openPlainBinaryBlock } = await import("./plain/plain-binary-block.js");
    return (bytes, context) => openPlainBinaryBlock(bytes, 0, context);
  },
};

export const prefix: BlockDecoding = {
  encoding: "PREFIX_ENCODING",
  types: ["BINARY"],
  open: async () => (await import("./prefix/prefix-block.js")).openPrefixBlock,
};

export const rleIntegers: BlockDecoding = { ...rleBool, types: INTEGERS };

/** In the order of `ENCODINGS`. */
export const DECODINGS: DecodingTable = [
  bitshuffle,
  dictionary,
  rleBool,
  plainFixed,
  plainBool,
  plainBinary,
  prefix,
  rleIntegers,
];
