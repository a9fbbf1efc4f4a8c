/**
 * The one table of block encodings: physical type × encoding → builder and decoder (specification 2.1, section 5).
 *
 * | physical type | encodings, the default first |
 * | --- | --- |
 * | integers of 8 to 64 bits | bitshuffle, plain, RLE |
 * | INT128, FLOAT, DOUBLE | bitshuffle, plain |
 * | BOOL | RLE, plain |
 * | BINARY | dictionary, plain, prefix |
 */
import { createBitshuffleBuilder } from "./bitshuffle-block.js";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockOpener,
  DecodeContext,
  DictionaryBlockBuilder,
} from "./block-codec.js";
import { DATA_TYPES, type DataType, type FixedPhysicalType, type PhysicalType } from "./data-type.js";
import { createDictionaryBuilder } from "./dictionary.js";
import { type EncodingType, resolveEncoding, unsupportedEncoding } from "./encoding-type.js";
import { bitshuffleOpener } from "./openers/bitshuffle.js";
import { dictionaryOpener } from "./openers/dictionary.js";
import { plainBinaryOpener } from "./openers/plain-binary.js";
import { plainBoolOpener } from "./openers/plain-bool.js";
import { plainFixedOpener } from "./openers/plain-fixed.js";
import { prefixOpener } from "./openers/prefix.js";
import { rleOpener } from "./openers/rle.js";
import { createPlainBinaryBuilder } from "./plain-binary.js";
import { createPlainBoolBuilder } from "./plain-bool.js";
import { createPlainFixedBuilder } from "./plain-fixed.js";
import { createPrefixBuilder } from "./prefix-builder.js";
import { createRleBuilder } from "./rle-block.js";

interface BlockEncoding {
  readonly createBuilder: (options: BlockBuilderOptions) => BlockBuilder;
  readonly open: BlockOpener;
}

type BlockEncodings = { readonly [encoding in EncodingType]?: BlockEncoding };

const fixed = (physical: FixedPhysicalType): BlockEncodings => ({
  BIT_SHUFFLE: {
    createBuilder: (options) => createBitshuffleBuilder(physical, options),
    open: bitshuffleOpener(physical),
  },
  PLAIN_ENCODING: {
    createBuilder: (options) => createPlainFixedBuilder(physical, options),
    open: plainFixedOpener(physical),
  },
});

type RleType = Parameters<typeof createRleBuilder>[0];

const rle = (physical: RleType): BlockEncoding => ({
  createBuilder: (options) => createRleBuilder(physical, options),
  open: rleOpener(physical),
});

const integer = (physical: RleType & FixedPhysicalType): BlockEncodings => ({
  ...fixed(physical),
  RLE: rle(physical),
});

const bool = (): BlockEncodings => ({
  RLE: rle("BOOL"),
  PLAIN_ENCODING: { createBuilder: createPlainBoolBuilder, open: plainBoolOpener },
});

const binary = (): BlockEncodings => ({
  DICT_ENCODING: { createBuilder: createDictionaryBuilder, open: dictionaryOpener },
  PLAIN_ENCODING: {
    createBuilder: createPlainBinaryBuilder,
    open: plainBinaryOpener,
  },
  PREFIX_ENCODING: {
    createBuilder: createPrefixBuilder,
    open: prefixOpener,
  },
});

const BLOCK_TABLE: { readonly [physical in PhysicalType]: BlockEncodings } = /* @__PURE__ */ Object.freeze({
  UINT8: /* @__PURE__ */ integer("UINT8"),
  INT8: /* @__PURE__ */ integer("INT8"),
  UINT16: /* @__PURE__ */ integer("UINT16"),
  INT16: /* @__PURE__ */ integer("INT16"),
  UINT32: /* @__PURE__ */ integer("UINT32"),
  INT32: /* @__PURE__ */ integer("INT32"),
  UINT64: /* @__PURE__ */ integer("UINT64"),
  INT64: /* @__PURE__ */ integer("INT64"),
  INT128: /* @__PURE__ */ fixed("INT128"),
  FLOAT: /* @__PURE__ */ fixed("FLOAT"),
  DOUBLE: /* @__PURE__ */ fixed("DOUBLE"),
  BOOL: /* @__PURE__ */ bool(),
  BINARY: /* @__PURE__ */ binary(),
});

function blockEncoding(type: DataType, encoding: EncodingType): BlockEncoding {
  const { physical } = DATA_TYPES[type];
  const resolved = resolveEncoding(type, encoding);
  const found = resolved && BLOCK_TABLE[physical][resolved];
  if (found === undefined) {
    throw unsupportedEncoding(type, encoding);
  }
  return found;
}

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
  return blockEncoding(type, encoding).createBuilder(options);
}

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
  return blockEncoding(type, encoding).open(bytes, context);
}

/** Whether the builder also makes a dictionary block. */
export function isDictionaryBuilder(builder: BlockBuilder): builder is DictionaryBlockBuilder {
  return "finishDictionary" in builder;
}
