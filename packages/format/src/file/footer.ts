/**
 * The footer (docs/spec/cfile.md#3-header-and-footer), at the end of the file:
 *
 * | bytes | content |
 * | --- | --- |
 * | 4 | CRC-32C of all that follows; with checksums only |
 * | F | protobuf `Footer` |
 * | 8 | magic |
 * | 4 | u32le F |
 */
import { type BlockLocation, CFileError, corrupt } from "@cfile/bytes";
import type { CompressionType } from "@cfile/compression";
import { compressionTypeFromId } from "@cfile/compression";
import type { DataType, EncodingType } from "@cfile/encodings";
import { dataTypeFromId, encodingTypeFromId } from "@cfile/encodings";
import { decodeFooter as decodeFields, type Footer } from "../generated/decode.js";
import { blockLocation, checkedInteger, decodeMessage, metadataPairs } from "./message.js";
import type { MetadataPair } from "./metadata.js";

/** Bits of `incompatibleFeatures`. */
export const FEATURE_CHECKSUM = 0x1;
/** Bit of the footer's feature flags: the rows are arrays. */
export const FEATURE_ARRAY_DATA_BLOCK = 0x2;

/** A file holds fewer rows than this: row numbers are 32 bits wide. */
export const MAX_ROWS = 2 ** 32 - 1;

/** The footer as stored; a field that the file does not have is `undefined`. */
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

/** Numbers that the schema knows although no column can have them: NESTED and UNKNOWN. */
const KNOWN_UNUSABLE = [21, 999];

/**
 * Parses the footer's protobuf.
 *
 * @throws CFileError `E_CORRUPT`: not a footer, a required field is missing or a number is out of range;
 *   `E_UNSUPPORTED`: a type, encoding or feature that no CFile reader has
 */
export function parseFooter(bytes: Uint8Array): CFileFooter {
  return interpretFooter(decodeFooter(bytes));
}

/** Decodes the wire format. A reader then compares the checksum, before it believes any value. */
export function decodeFooter(bytes: Uint8Array): Footer {
  return decodeMessage(bytes, "footer", decodeFields);
}

/** Whether header, blocks and footer have checksums. */
export function hasChecksums(message: Footer): boolean {
  return ((message.incompatibleFeatures ?? 0) & FEATURE_CHECKSUM) !== 0;
}

/** Checks the values and that they agree with each other. */
export function interpretFooter(message: Footer): CFileFooter {
  const features = message.incompatibleFeatures;
  const known = FEATURE_CHECKSUM | FEATURE_ARRAY_DATA_BLOCK;
  if (((features ?? 0) & ~known) !== 0) {
    throw new CFileError("E_UNSUPPORTED", `the file uses features 0x${(features ?? 0).toString(16)}`, {
      field: "incompatible_features",
      actual: features,
    });
  }
  const footer: CFileFooter = {
    dataType: dataType(message.dataType),
    encoding: encoding(message.encoding),
    rowCount: checkedInteger(message.numValues, "num_values", MAX_ROWS),
    posidx: blockLocation(message.posidxInfo?.rootBlock, "posidx_info"),
    validx: blockLocation(message.validxInfo?.rootBlock, "validx_info"),
    compression: message.compression === undefined ? undefined : compression(message.compression),
    metadata: metadataPairs(message.metadata),
    nullable: message.isTypeNullable,
    dictionary: blockLocation(message.dictBlockPtr, "dict_block_ptr"),
    incompatibleFeatures: features,
    compatibleFeatures: message.compatibleFeatures,
    array: message.isTypeArray,
  };
  checkConsistency(footer);
  return footer;
}

function dataType(id: number): DataType {
  const type = dataTypeFromId(id);
  if (type === undefined) {
    throw new CFileError(
      KNOWN_UNUSABLE.includes(id) ? "E_UNSUPPORTED" : "E_CORRUPT",
      `data type ${id} cannot be a column's type`,
      { field: "data_type", actual: id },
    );
  }
  return type;
}

function encoding(id: number): EncodingType {
  const type = encodingTypeFromId(id);
  if (type === undefined) {
    throw new CFileError(id === 999 ? "E_UNSUPPORTED" : "E_CORRUPT", `encoding ${id} is unknown`, {
      field: "encoding",
      actual: id,
    });
  }
  return type;
}

function compression(id: number): CompressionType {
  const type = compressionTypeFromId(id);
  if (type === undefined) {
    throw corrupt(`bad compression type ${id}`, { field: "compression", actual: id });
  }
  return type;
}

function checkConsistency(footer: CFileFooter): void {
  const isDictionary = footer.encoding === "DICT_ENCODING";
  if (isDictionary !== (footer.dictionary !== undefined)) {
    throw corrupt(
      isDictionary ? "a dictionary-encoded file without a dictionary" : "a dictionary without its encoding",
      { field: "dict_block_ptr" },
    );
  }
  const arrayFeature = ((footer.incompatibleFeatures ?? 0) & FEATURE_ARRAY_DATA_BLOCK) !== 0;
  if ((footer.array ?? false) !== arrayFeature) {
    throw corrupt("the array flag and the array feature disagree", { field: "is_type_array" });
  }
}
