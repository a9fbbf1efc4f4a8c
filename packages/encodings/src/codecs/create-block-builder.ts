/** Builders of blocks of every encoding; `open-block.ts` has the decoders, `load-block-opener.ts` one decoder at a time. */

import { DATA_TYPES, type DataType } from "../types/data-type.js";
import { type EncodingType, resolveEncoding, unsupportedEncoding } from "../types/encoding-type.js";
import { createBitshuffleBuilder } from "./bitshuffle/bitshuffle-block.js";
import type { BlockBuilder, BlockBuilderOptions, DictionaryBlockBuilder } from "./block-codec.js";
import { createDictionaryBuilder } from "./dictionary/dictionary.js";
import { createPlainBinaryBuilder } from "./plain/plain-binary-builder.js";
import { createPlainBoolBuilder } from "./plain/plain-bool.js";
import { createPlainFixedBuilder } from "./plain/plain-fixed.js";
import { createPrefixBuilder } from "./prefix/prefix-builder.js";
import { createRleBuilder } from "./rle/rle-block.js";

/**
 * A builder of blocks of `type` in `encoding`; `AUTO_ENCODING` is the default of the type.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export function createBlockBuilder(
  type: DataType,
  encoding: EncodingType,
  options: BlockBuilderOptions,
): BlockBuilder | DictionaryBlockBuilder {
  const { physical } = DATA_TYPES[type];
  const resolved = resolveEncoding(type, encoding);
  switch (resolved) {
    case undefined:
      throw unsupportedEncoding(type, encoding);
    case "RLE":
      return createRleBuilder(physical, options);
    case "DICT_ENCODING":
      return createDictionaryBuilder(options);
    case "PREFIX_ENCODING":
      return createPrefixBuilder(options);
    default:
      break;
  }
  switch (physical) {
    case "BOOL":
      return createPlainBoolBuilder(options);
    case "BINARY":
      return createPlainBinaryBuilder(options);
    default:
      return resolved === "BIT_SHUFFLE"
        ? createBitshuffleBuilder(physical, options)
        : createPlainFixedBuilder(physical, options);
  }
}

/** Whether the builder also makes a dictionary block. */
export function isDictionaryBuilder(builder: BlockBuilder): builder is DictionaryBlockBuilder {
  return "finishDictionary" in builder;
}
