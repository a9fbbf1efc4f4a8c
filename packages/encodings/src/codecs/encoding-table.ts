/** Loads the builders of encodings: of one, or of all together with the decoders. */
import { DATA_TYPES, type DataType } from "../types/data-type.js";
import type { EncodingType } from "../types/encoding-type.js";
import type {
  BlockBuilder,
  BlockBuilderOptions,
  BlockDecoder,
  BlockOpener,
  BuilderFactory,
  DecodeContext,
  EncodingTable,
} from "./block-codec.js";
import { requireRow } from "./decoding-table.js";
import { ENCODINGS } from "./encodings.js";

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
  return requireRow(type, encoding, table).build(DATA_TYPES[type].physical);
}

/** A table whose code is loaded. */
export interface LoadedEncodings {
  /**
   * Opens a block of `type` in `encoding`.
   *
   * @param context the dictionary of dictionary blocks, and a bound on what a block may decode to
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
  const openers = new Map<string, BlockOpener>();
  const factories = new Map<string, BuilderFactory>();
  const loads = table.flatMap((row) =>
    row.types.map(async (physical) => {
      openers.set(`${physical} ${row.encoding}`, await row.open(physical));
      factories.set(`${physical} ${row.encoding}`, await row.build(physical));
    }),
  );
  await Promise.all(loads);
  const find = <T>(loaded: ReadonlyMap<string, T>, type: DataType, encoding: EncodingType): T => {
    const row = requireRow(type, encoding, table);
    return loaded.get(`${DATA_TYPES[type].physical} ${row.encoding}`) as T;
  };
  return {
    openBlock: (type, encoding, bytes, context = {}) => find(openers, type, encoding)(bytes, context),
    createBlockBuilder: (type, encoding, options) => find(factories, type, encoding)(options),
  };
}
