/**
 * The table of encodings: the types of each, and the decoder and builder of their blocks, loaded row by row.
 *
 * A further encoding is one file with its codec and one row, here or in a table of the caller's: readers and writers take a table,
 * by default this one.
 */
import type { PhysicalType } from "../types/data-type.js";
import type { BlockDecoding, BlockEncoding, BuilderFactory, EncodingTable } from "./block-codec.js";
import * as decodings from "./decodings.js";

const buildRle: BlockEncoding["build"] = async (physical) => {
  const { createRleBuilder } = await import("./rle/rle-builder.js");
  return (options) => createRleBuilder(physical, options);
};

/** The encodings that Kudu reads and writes. */
export const ENCODINGS: EncodingTable = [
  encoding(decodings.bitshuffle, async (physical) => {
    const { createBitshuffleBuilder } = await import("./bitshuffle/bitshuffle-builder.js");
    return (options) => createBitshuffleBuilder(physical, options);
  }),
  encoding(decodings.dictionary, async () => {
    return (await import("./dictionary/dictionary-builder.js")).createDictionaryBuilder;
  }),
  encoding(decodings.rleBool, buildRle),
  encoding(decodings.plainFixed, async (physical) => {
    const { createPlainFixedBuilder } = await import("./plain/plain-fixed-builder.js");
    return (options) => createPlainFixedBuilder(physical, options);
  }),
  encoding(decodings.plainBool, async () => {
    return (await import("./plain/plain-bool-builder.js")).createPlainBoolBuilder;
  }),
  encoding(decodings.plainBinary, async () => {
    return (await import("./plain/plain-binary-builder.js")).createPlainBinaryBuilder;
  }),
  encoding(decodings.prefix, async () => (await import("./prefix/prefix-builder.js")).createPrefixBuilder),
  encoding(decodings.rleIntegers, buildRle),
];

function encoding<P extends PhysicalType>(
  decoding: BlockDecoding<P>,
  build: (physical: P) => Promise<BuilderFactory>,
): BlockEncoding<P> {
  return { ...decoding, build };
}
