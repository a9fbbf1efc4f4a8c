/**
 * The table of encodings: the types of each, and the decoder and builder of their blocks, loaded row by row.
 *
 * A further encoding requires one file with its codec and one row, here or in the caller's own table: readers and writers accept a
 * table. Default: this one.
 */
import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockDecoding,
  BlockEncoding,
  BuilderFactory,
  DecodeContext,
  EncodingTable,
} from "./block-codec.js";
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

/**
 * Loads the builder of blocks of `type` in `encoding`; `AUTO_ENCODING` is the default of the type.
 *
 * @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadBlockBuilder(
  type: DataType,
  encoding: EncodingType,
  table: EncodingTable = ENCODINGS,
): Promise<BuilderFactory> {
  return decodings.requireRow(type, encoding, table).build(DATA_TYPES[type].physical);
}

/** A table whose code is loaded. */
export interface LoadedEncodings {
  /**
   * Opens a block of `type` in `encoding`.
   *
   * @param context the dictionary of dictionary blocks, and a bound on the decoded bytes
   * @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding; `E_TRUNCATED`, `E_CORRUPT` or `E_LIMIT` for bad
   *   bytes
   */
  openBlock(type: DataType, encoding: EncodingType, bytes: Uint8Array, context?: DecodeContext): BlockDecoder;
  /**
   * A builder of blocks of `type` in `encoding`; `AUTO_ENCODING` is the default of the type.
   *
   * @throws {CFileError} `E_UNSUPPORTED` when the type does not have the encoding
   */
  createBlockBuilder(type: DataType, encoding: EncodingType, options: BlockBuilderOptions): BlockBuilder;
}

/** Loads the code of all encodings, so that blocks can be opened and built synchronously. */
export async function loadEncodings(table: EncodingTable = ENCODINGS): Promise<LoadedEncodings> {
  const loads = table.flatMap((row) =>
    row.types.map(async (physical) => {
      const [open, build] = [await row.open(physical), await row.build(physical)];
      return { encoding: row.encoding, types: [physical], open, build };
    }),
  );
  const rows = await Promise.all(loads);
  return {
    openBlock: (type, encoding, bytes, context = {}) =>
      decodings.requireRow(type, encoding, rows).open(bytes, context),
    createBlockBuilder: (type, encoding, options) =>
      decodings.requireRow(type, encoding, rows).build(options),
  };
}
