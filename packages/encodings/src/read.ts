/** @module @cfile/encodings/read: open blocks of any encoding. */
export {
  type BlockBuilder,
  type BlockBuilderOptions,
  type BlockDecoder,
  type BlockOpener,
  DEFAULT_MAX_DECODED_BYTES,
  type DecodeContext,
  type DictionaryBlockBuilder,
  type SeekPosition,
  type SeekTarget,
} from "./codecs/block-codec.js";
export { loadBlockOpener } from "./codecs/encoding-table.js";
export {
  type ArrayBlock,
  type ArrayBlockParts,
  encodeArrayBlock,
  parseArrayBlock,
} from "./codecs/headers/array-header.js";
export { encodeNullableBlock, type NullableBlock, parseNullableBlock } from "./codecs/headers/null-header.js";
