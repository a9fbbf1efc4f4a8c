/**
 * The table of encodings: which types have which, and what opens and builds their blocks. Everything that goes from a name to
 * code goes through it. Code is loaded row by row: reading loads no builder, and only the decoder of the file's encoding.
 *
 * A further encoding is a file with its codec and a row here, or a row of the caller's own: whoever opens or writes takes a
 * table, and this one is the default.
 */
import type { FixedPhysicalType } from "../types/data-type.js";
import type { BlockEncoding, EncodingTable } from "./block-codec.js";

const INTEGERS = ["UINT8", "INT8", "UINT16", "INT16", "UINT32", "INT32", "UINT64", "INT64"] as const;
const FIXED = [...INTEGERS, "INT128", "FLOAT", "DOUBLE"] as const;

const bitshuffle: BlockEncoding<FixedPhysicalType> = {
  encoding: "BIT_SHUFFLE",
  types: FIXED,
  async open(physical) {
    const { openBitshuffleBlock } = await import("./bitshuffle/bitshuffle-block.js");
    return (bytes, context) => openBitshuffleBlock(physical, bytes, 0, context);
  },
  async build(physical) {
    const { createBitshuffleBuilder } = await import("./bitshuffle/bitshuffle-builder.js");
    return (options) => createBitshuffleBuilder(physical, options);
  },
};

const dictionary: BlockEncoding = {
  encoding: "DICT_ENCODING",
  types: ["BINARY"],
  open: async () => (await import("./dictionary/dictionary-block.js")).openDictionaryBlock,
  build: async () => (await import("./dictionary/dictionary-builder.js")).createDictionaryBuilder,
};

const rle: Omit<BlockEncoding, "types"> = {
  encoding: "RLE",
  async open(physical) {
    const { openRleBlock } = await import("./rle/rle-block.js");
    return (bytes, context) => openRleBlock(physical, bytes, context);
  },
  async build(physical) {
    const { createRleBuilder } = await import("./rle/rle-builder.js");
    return (options) => createRleBuilder(physical, options);
  },
};

const plainFixed: BlockEncoding<FixedPhysicalType> = {
  encoding: "PLAIN_ENCODING",
  types: FIXED,
  async open(physical) {
    const { openPlainFixedBlock } = await import("./plain/plain-fixed-block.js");
    return (bytes, context) => openPlainFixedBlock(physical, bytes, context);
  },
  async build(physical) {
    const { createPlainFixedBuilder } = await import("./plain/plain-fixed-builder.js");
    return (options) => createPlainFixedBuilder(physical, options);
  },
};

const plainBool: BlockEncoding = {
  encoding: "PLAIN_ENCODING",
  types: ["BOOL"],
  open: async () => (await import("./plain/plain-bool-block.js")).openPlainBoolBlock,
  build: async () => (await import("./plain/plain-bool-builder.js")).createPlainBoolBuilder,
};

const plainBinary: BlockEncoding = {
  encoding: "PLAIN_ENCODING",
  types: ["BINARY"],
  async open() {
    const { openPlainBinaryBlock } = await import("./plain/plain-binary-block.js");
    return (bytes, context) => openPlainBinaryBlock(bytes, 0, context);
  },
  build: async () => (await import("./plain/plain-binary-builder.js")).createPlainBinaryBuilder,
};

const prefix: BlockEncoding = {
  encoding: "PREFIX_ENCODING",
  types: ["BINARY"],
  open: async () => (await import("./prefix/prefix-block.js")).openPrefixBlock,
  build: async () => (await import("./prefix/prefix-builder.js")).createPrefixBuilder,
};

/** The encodings that Kudu reads and writes. */
export const ENCODINGS: EncodingTable = [
  bitshuffle,
  dictionary,
  { ...rle, types: ["BOOL"] },
  plainFixed,
  plainBool,
  plainBinary,
  prefix,
  { ...rle, types: INTEGERS },
];
