/**
 * The decoders of `open-block.ts` one by one, each loaded when a file has it: the modules in `openers/` have them without
 * the builders that stand beside them.
 */

import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import { type EncodingType, resolveEncoding, unsupportedEncoding } from "../types/encoding-type.js";
import type { BlockOpener } from "./block-codec.js";

/**
 * What opens blocks of `type` in `encoding`; see `openBlock`.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadBlockOpener(type: DataType, encoding: EncodingType): Promise<BlockOpener> {
  const resolved = resolveEncoding(type, encoding);
  if (resolved === undefined) {
    throw unsupportedEncoding(type, encoding);
  }
  return openerOf(DATA_TYPES[type].physical, resolved);
}

/** @param encoding one that the type has */
async function openerOf(physical: PhysicalType, encoding: EncodingType): Promise<BlockOpener> {
  switch (encoding) {
    case "RLE":
      return (await import("./openers/rle.js")).rleOpener(physical);
    case "DICT_ENCODING":
      return (await import("./openers/dictionary.js")).dictionaryOpener;
    case "PREFIX_ENCODING":
      return (await import("./openers/prefix.js")).prefixOpener;
    default:
      break;
  }
  switch (physical) {
    case "BOOL":
      return (await import("./openers/plain-bool.js")).plainBoolOpener;
    case "BINARY":
      return (await import("./openers/plain-binary.js")).plainBinaryOpener;
    default:
      return encoding === "BIT_SHUFFLE"
        ? (await import("./openers/bitshuffle.js")).bitshuffleOpener(physical)
        : (await import("./openers/plain-fixed.js")).plainFixedOpener(physical);
  }
}
