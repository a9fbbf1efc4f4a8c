/** @module @cfile/hfile: the HFiles of HBase and Hudi: read and verify them. */
export type { HFileBlockHeader } from "./blocks/block-header.js";
export type { BlockKind } from "./blocks/block-kind.js";
export type { ChecksumType } from "./blocks/checksum-type.js";
export { type HFileCodec, isWritten, WRITTEN_CODECS, type WrittenCodec } from "./blocks/hfile-codec.js";
export {
  CELL_TYPES,
  CellBatch,
  type CellLayout,
  HFileCell,
  type PackedBytes,
  TIMESTAMP_AND_TYPE,
} from "./cells/cell-batch.js";
export type { HFileCellInput } from "./cells/cell-encoder.js";
export { parseCells } from "./cells/cell-parser.js";
export { lowerBound } from "./cells/cell-search.js";
export { compareKeys } from "./cells/key-order.js";
export type { BloomMetaKind } from "./file/bloom-meta.js";
export { FILE_INFO_KEYS, FileInfo, type FileInfoEntry } from "./file/file-info.js";
export { HFILE_LIMITS, type HFileStructure } from "./file/file-structure.js";
export {
  HUDI_BLOOM_FILTER_BLOCK,
  type HudiBloomFilter,
  parseHudiBloomFilter,
} from "./file/hudi-bloom-filter.js";
export { hudiBloomLookup } from "./file/hudi-bloom-lookup.js";
export { isHFile } from "./file/recognize.js";
export type { HFileTrailer } from "./file/trailer.js";
export type { PackedValues } from "./read/lookup.js";
export { type HFileOpenOptions, type HFileReader, openHFile, type Row } from "./read/reader.js";
export type { HFileScanOptions } from "./read/scan.js";
export type { SeekResult } from "./read/seek.js";
export type { HFileReport } from "./verify/verify-hfile.js";
