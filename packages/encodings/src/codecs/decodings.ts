/**
 * The table of encodings, as readers need it: the types of each, and the decoder of their blocks, which is loaded when a file
 * has the encoding. `encodings.ts` adds the builders in a module of its own, so that the bundle of a reader has none of them.
 */
import type { FixedPhysicalType, PhysicalType } from "../types/data-type.js";
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

const rle = (types: readonly PhysicalType[]): BlockDecoding => ({
  encoding: "RLE",
  types,
  async open(physical) {
    const { openRleBlock } = await import("./rle/rle-block.js");
    return (bytes, context) => openRleBlock(physical, bytes, context);
  },
});
export const rleBool = /* @__PURE__ */ rle(["BOOL"]);
export const rleIntegers = /* @__PURE__ */ rle(INTEGERS);

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
