/**
 * The footer (docs/spec/cfile.md#3-header-and-footer), at the end of the file:
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | CRC-32C of all following bytes; only with checksums |
 * | F | protobuf `Footer` |
 * | 8 | magic |
 * | 4 | u32le F |
 */
import { type BlockLocation, CFileError, corrupt } from "@cfile/bytes";
import { type CompressionType, compressionTypeFromId } from "@cfile/compression";
import { type DataType, dataTypeFromId, type EncodingType, encodingTypeFromId } from "@cfile/encodings";
import { decodeFooter as decodeFields, type Footer } from "../generated/decode.js";
import { blockLocation, checkedInteger, decodeMessage, metadataPairs } from "./message.js";
import type { MetadataPair } from "./metadata.js";

/** Bit of the footer's `incompatibleFeatures`: header, blocks and footer have checksums. */
export const FEATURE_CHECKSUM = 0x1;
/** Bit of the footer's `incompatibleFeatures`: the rows are arrays. */
export const FEATURE_ARRAY_DATA_BLOCK = 0x2;

/** Maximum number of rows of a file: row numbers are 32 bits wide. */
export const MAX_ROWS = 2 ** 32 - 1;

/** The footer as stored; an absent field is `undefined`. */
export interface CFileFooter {
  readonly dataType: DataType;
  readonly encoding: EncodingType;
  /** Rows including nulls. */
  readonly rowCount: number;
  /** Root of the positional index. */
  readonly posidx: BlockLocation | undefined;
  /** Root of the value index. */
  readonly validx: BlockLocation | undefined;
  readonly compression: CompressionType | undefined;
  readonly metadata: readonly MetadataPair[];
  readonly nullable: boolean | undefined;
  readonly dictionary: BlockLocation | undefined;
  readonly incompatibleFeatures: number | undefined;
  readonly compatibleFeatures: number | undefined;
  readonly array: boolean | undefined;
}

/** Types of the schema that no column can have: NESTED and UNKNOWN_DATA. */
const UNUSABLE_TYPES = [21, 999];
/** The encoding of the schema that no column can have: UNKNOWN_ENCODING. */
const UNUSABLE_ENCODINGS = [999];

/**
 * Parses the footer's protobuf.
 *
 * @throws {CFileError} `E_CORRUPT`: not a footer, a required field is missing, or a number is out of range;
 *   `E_UNSUPPORTED`: a type, encoding or feature that is not supported
 */
export function parseFooter(bytes: Uint8Array): CFileFooter {
  return interpretFooter(decodeFooter(bytes));
}

/** Decodes the protobuf; verify the checksum before you use its values. Throws as {@link parseFooter}. */
export function decodeFooter(bytes: Uint8Array): Footer {
  return decodeMessage(bytes, "footer", decodeFields);
}

/** Whether header, blocks and footer have checksums. */
export function hasChecksums(message: Footer): boolean {
  return ((message.incompatibleFeatures ?? 0) & FEATURE_CHECKSUM) !== 0;
}

/** Checks that the values are valid and consistent. Throws as {@link parseFooter}. */
export function interpretFooter(message: Footer): CFileFooter {
  const { incompatibleFeatures } = message;
  const features = incompatibleFeatures ?? 0;
  const supported = FEATURE_CHECKSUM | FEATURE_ARRAY_DATA_BLOCK;
  if ((features & ~supported) !== 0) {
    const reason = `unsupported features 0x${features.toString(16)}`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "incompatible_features", actual: features });
  }
  const { dataType, encoding, compression } = message;
  const footer: CFileFooter = {
    dataType: known(dataTypeFromId(dataType), dataType, "data_type", UNUSABLE_TYPES),
    encoding: known(encodingTypeFromId(encoding), encoding, "encoding", UNUSABLE_ENCODINGS),
    rowCount: checkedInteger(message.numValues, "num_values", MAX_ROWS),
    posidx: blockLocation(message.posidxInfo?.rootBlock, "posidx_info"),
    validx: blockLocation(message.validxInfo?.rootBlock, "validx_info"),
    compression:
      compression === undefined
        ? undefined
        : known(compressionTypeFromId(compression), compression, "compression", []),
    metadata: metadataPairs(message.metadata),
    nullable: message.isTypeNullable,
    dictionary: blockLocation(message.dictBlockPtr, "dict_block_ptr"),
    incompatibleFeatures,
    compatibleFeatures: message.compatibleFeatures,
    array: message.isTypeArray,
  };
  checkConsistency(footer);
  return footer;
}

/** @throws {CFileError} if no value has this ID: `E_UNSUPPORTED` for an unusable ID of the schema, else `E_CORRUPT` */
function known<T>(value: T | undefined, id: number, field: string, unusable: readonly number[]): T {
  if (value === undefined) {
    const details = { field, actual: id };
    throw unusable.includes(id)
      ? new CFileError("E_UNSUPPORTED", `unsupported ${field}: ${id}`, details)
      : corrupt(`unknown ${field}: ${id}`, details);
  }
  return value;
}

function checkConsistency(footer: CFileFooter): void {
  const isDictionary = footer.encoding === "DICT_ENCODING";
  if (isDictionary !== (footer.dictionary !== undefined)) {
    const found = footer.dictionary === undefined ? "no dictionary block" : "a dictionary block";
    throw corrupt(`${found} in a file with ${footer.encoding}`, { field: "dict_block_ptr" });
  }
  const arrayFeature = ((footer.incompatibleFeatures ?? 0) & FEATURE_ARRAY_DATA_BLOCK) !== 0;
  if ((footer.array ?? false) !== arrayFeature) {
    throw corrupt("array flag and array feature contradict each other", { field: "is_type_array" });
  }
}
