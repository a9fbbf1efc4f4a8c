/** @module @cfile/hfile: the HFiles of HBase and Hudi: reader, writer, verifier and salvage. */
export type { HFileBlockHeader } from "./block-header.js";
export type { BlockKind } from "./block-kind.js";
export { CELL_TYPES, CellBatch, type CellLayout, HFileCell, type PackedBytes } from "./cell-batch.js";
export type { HFileCellInput } from "./cell-encoder.js";
export type { ChecksumType } from "./checksum-type.js";
export { FILE_INFO_KEYS, FileInfo, type FileInfoEntry } from "./file-info.js";
export { HFILE_LIMITS, type HFileStructure } from "./file-structure.js";
export type { HFileCodec } from "./hfile-codec.js";
export { HUDI_BLOOM_FILTER_BLOCK, type HudiBloomFilter, parseHudiBloomFilter } from "./hudi-bloom-filter.js";
export type { PackedValues } from "./lookup.js";
export { type HFileOpenOptions, HFileReader, type Row } from "./reader.js";
export { HFileSalvage, type LostRange } from "./salvage.js";
export type { HFileScanOptions } from "./scan.js";
export type { SeekResult } from "./seek.js";
export type { HFileTrailer } from "./trailer.js";
export { type HFileProblem, type HFileReport, verifyHFile } from "./verify.js";
export { HFileWriter, type WrittenHFile } from "./writer.js";
export type { HFileWriterOptions, ResolvedWriterOptions } from "./writer-options.js";
