/**
 * The table of encodings: which types have which, and what opens and builds their blocks. Everything that goes from a name to
 * code goes through it, and code is loaded row by row.
 *
 * A further encoding is a file with its codec and a row here, or a row of the caller's own: who reads or writes takes a table,
 * and this one is the default.
 */
import type { PhysicalType } from "../types/data-type.js";
import type { BlockDecoding, BlockEncoding, BuilderFactory, EncodingTable } from "./block-codec.js";
import {
  bitshuffle,
  dictionary,
  plainBinary,
  plainBool,
  plainFixed,
  prefix,
  rleBool,
  rleIntegers,
} from "./decodings.js";

const buildRle: BlockEncoding["build"] = async (physical) => {
  const { createRleBuilder } = await import("./rle/rle-builder.js");
  return (options) => createRleBuilder(physical, options);
};

/** The encodings that Kudu reads and writes. */
export const ENCODINGS: EncodingTable = [
  encoding(bitshuffle, async (physical) => {
    const { createBitshuffleBuilder } = await import("./bitshuffle/bitshuffle-builder.js");
    return (options) => createBitshuffleBuilder(physical, options);
  }),
  encoding(
    dictionary,
    async () => (await import("./dictionary/dictionary-builder.js")).createDictionaryBuilder,
  ),
  encoding(rleBool, buildRle),
  encoding(plainFixed, async (physical) => {
    const { createPlainFixedBuilder } = await import("./plain/plain-fixed-builder.js");
    return (options) => createPlainFixedBuilder(physical, options);
  }),
  encoding(plainBool, async () => (await import("./plain/plain-bool-builder.js")).createPlainBoolBuilder),
  encoding(
    plainBinary,
    async () => (await import("./plain/plain-binary-builder.js")).createPlainBinaryBuilder,
  ),
  encoding(prefix, async () => (await import("./prefix/prefix-builder.js")).createPrefixBuilder),
  encoding(rleIntegers, buildRle),
];

function encoding<P extends PhysicalType>(
  decoding: BlockDecoding<P>,
  build: (physical: P) => Promise<BuilderFactory>,
): BlockEncoding<P> {
  return { ...decoding, build };
}
