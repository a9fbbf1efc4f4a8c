/** Opening blocks of every encoding; `create-block-builder.ts` has the builders. */
import type { BlockDecoder, BlockOpener, DecodeContext } from "./block-codec.js";
import { DATA_TYPES, type DataType, type PhysicalType } from "./data-type.js";
import { type EncodingType, resolveEncoding, unsupportedEncoding } from "./encoding-type.js";
import { bitshuffleOpener } from "./openers/bitshuffle.js";
import { dictionaryOpener } from "./openers/dictionary.js";
import { plainBinaryOpener } from "./openers/plain-binary.js";
import { plainBoolOpener } from "./openers/plain-bool.js";
import { plainFixedOpener } from "./openers/plain-fixed.js";
import { prefixOpener } from "./openers/prefix.js";
import { rleOpener } from "./openers/rle.js";

/**
 * Opens a block of `type` in `encoding`: the encoded data alone, without null or array header.
 *
 * @param context what dictionary blocks need, and a bound on what a block may decode to
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding; `E_TRUNCATED`, `E_CORRUPT` or `E_LIMIT`
 *   for bad bytes
 */
export function openBlock(
  type: DataType,
  encoding: EncodingType,
  bytes: Uint8Array,
  context: DecodeContext = {},
): BlockDecoder {
  const resolved = resolveEncoding(type, encoding);
  if (resolved === undefined) {
    throw unsupportedEncoding(type, encoding);
  }
  return openerOf(DATA_TYPES[type].physical, resolved)(bytes, context);
}

/** @param encoding one that the type has */
function openerOf(physical: PhysicalType, encoding: EncodingType): BlockOpener {
  switch (encoding) {
    case "RLE":
      return rleOpener(physical);
    case "DICT_ENCODING":
      return dictionaryOpener;
    case "PREFIX_ENCODING":
      return prefixOpener;
    default:
      break;
  }
  switch (physical) {
    case "BOOL":
      return plainBoolOpener;
    case "BINARY":
      return plainBinaryOpener;
    default:
      return encoding === "BIT_SHUFFLE" ? bitshuffleOpener(physical) : plainFixedOpener(physical);
  }
}
