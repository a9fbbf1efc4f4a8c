/** From the names of a type and an encoding to what the table of encodings has for them. */
import { CFileError } from "@cfile/bytes";
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
import { ENCODINGS } from "./encodings.js";

/** Encodings of a physical type, its default first. */
export function encodingsOf(
  physical: PhysicalType,
  table: EncodingTable = ENCODINGS,
): readonly EncodingType[] {
  return table.filter(({ types }) => types.includes(physical)).map(({ encoding }) => encoding);
}

/**
 * What a footer stores for a requested encoding: AUTO becomes the default of the type. `undefined` when the
 * type does not have the encoding.
 */
export function resolveEncoding(
  type: DataType,
  requested: EncodingType,
  table: EncodingTable = ENCODINGS,
): EncodingType | undefined {
  return rowOf(type, requested, table)?.encoding;
}

/**
 * Loads what opens blocks of `type` in `encoding`: the encoded data alone, without null or array header.
 *
 * @throws CFileError `E_UNSUPPORTED` when the type does not have the encoding
 */
export async function loadBlockOpener(
  type: DataType,
  encoding: EncodingType,
  table: EncodingTable = ENCODINGS,
): Promise<BlockOpener> {
  return requireRow(type, encoding, table).open(DATA_TYPES[type].physical);
}

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

/** The row of a type's encoding, or of its default for `AUTO_ENCODING`. */
function rowOf(type: DataType, requested: EncodingType, table: EncodingTable): BlockEncoding | undefined {
  const { physical } = DATA_TYPES[type];
  return table.find(
    ({ encoding, types }) =>
      types.includes(physical) && (requested === "AUTO_ENCODING" || requested === encoding),
  );
}

function requireRow(type: DataType, encoding: EncodingType, table: EncodingTable): BlockEncoding {
  const row = rowOf(type, encoding, table);
  if (row === undefined) {
    const supported = encodingsOf(DATA_TYPES[type].physical, table).join(", ");
    throw new CFileError("E_UNSUPPORTED", `${type} blocks have no ${encoding}; they have ${supported}`, {
      field: "encoding",
      actual: encoding,
    });
  }
  return row;
}
