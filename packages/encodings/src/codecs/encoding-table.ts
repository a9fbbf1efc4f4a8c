/** The code of encodings that builds blocks, and all of it at once. */
import { DATA_TYPES, type DataType, type PhysicalType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockEncoding,
  BlockOpener,
  BuilderFactory,
  DecodeContext,
  DictionaryBlockBuilder,
  EncodingTable,
} from "./block-codec.js";
import { requireRow } from "./decoding-table.js";
import { ENCODINGS } from "./encodings.js";

/**
 * Loads what makes builders of blocks of `type` in `encoding`; `AUTO_ENCODING` is the default of the type.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadBlockBuilder(
  type: DataType,
  encoding: EncodingType,
  table: EncodingTable = ENCODINGS,
): Promise<BuilderFactory> {
  return requireRow(type, encoding, table).build(DATA_TYPES[type].physical);
}

/** A table whose code is loaded. Its functions throw `E_UNSUPPORTED` when the type does not have the encoding. */
export interface LoadedEncodings {
  /**
   * Opens a block of `type` in `encoding`.
   *
   * @param context what dictionary blocks need, and a bound on what a block may decode to
   * @throws CFileError `E_TRUNCATED`, `E_CORRUPT` or `E_LIMIT` for bad bytes
   */
  openBlock(type: DataType, encoding: EncodingType, bytes: Uint8Array, context?: DecodeContext): BlockDecoder;
  /** A builder of blocks of `type` in `encoding`; `AUTO_ENCODING` is the default of the type. */
  createBlockBuilder(
    type: DataType,
    encoding: EncodingType,
    options: BlockBuilderOptions,
  ): BlockBuilder | DictionaryBlockBuilder;
}

/** Loads the code of all encodings: their blocks are then opened and built without waiting. */
export async function loadEncodings(table: EncodingTable = ENCODINGS): Promise<LoadedEncodings> {
  const openers = new Map<string, BlockOpener>();
  const factories = new Map<string, BuilderFactory>();
  const loadType = async (row: BlockEncoding, physical: PhysicalType): Promise<void> => {
    openers.set(`${physical} ${row.encoding}`, await row.open(physical));
    factories.set(`${physical} ${row.encoding}`, await row.build(physical));
  };
  await Promise.all(table.flatMap((row) => row.types.map((physical) => loadType(row, physical))));
  const found = <T>(loaded: ReadonlyMap<string, T>, type: DataType, encoding: EncodingType): T => {
    const row = requireRow(type, encoding, table);
    return loaded.get(`${DATA_TYPES[type].physical} ${row.encoding}`) as T;
  };
  return {
    openBlock: (type, encoding, bytes, context = {}) => found(openers, type, encoding)(bytes, context),
    createBlockBuilder: (type, encoding, options) => found(factories, type, encoding)(options),
  };
}
