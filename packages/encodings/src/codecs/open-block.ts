/** Opening blocks of every encoding; `create-block-builder.ts` has the builders. */

import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import { type EncodingType, resolveEncoding, unsupportedEncoding } from "../types/encoding-type.js";
import type { BlockDecoder, BlockOpener, DecodeContext } from "./block-codec.js";
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
  return blockOpener(type, encoding)(bytes, context);
}

/** By type and encoding: functions made for each block would be compiled for many of them. */
const openers = /* @__PURE__ */ new Map<string, BlockOpener>();

/**
 * What opens the blocks of such columns; the same function each time.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export function blockOpener(type: DataType, encoding: EncodingType): BlockOpener {
  const resolved = resolveEncoding(type, encoding);
  if (resolved === undefined) {
    throw unsupportedEncoding(type, encoding);
  }
  const name = `${type} ${resolved}`;
  let opener = openers.get(name);
  if (opener === undefined) {
    opener = openerOf(DATA_TYPES[type].physical, resolved);
    openers.set(name, opener);
  }
  return opener;
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
