/** @module @cfile/format: CFile header, footer, blocks, reader, writer and verifier. */
export { BlockCache, type Cacheable } from "@cfile/bytes";
export { BlockReader, type BlockReadOptions } from "./blocks/block-reader.js";
export type { BlockColumn, DataBlock, DataBlockOpener } from "./blocks/data-block.js";
export { loadDataBlockOpener } from "./blocks/load-data-block-opener.js";
export { type Digits, digitsMetadata, digitsOf } from "./file/decimal-digits.js";
export { type FileKind, fileKindOf } from "./file/file-kind.js";
export { type FileStructure, readFileStructure, type StructureReadOptions } from "./file/file-structure.js";
export {
  type CFileFooter,
  FEATURE_ARRAY_DATA_BLOCK,
  FEATURE_CHECKSUM,
  MAX_ROWS,
  parseFooter,
} from "./file/footer.js";
export { type CFileHeader, parseHeader } from "./file/header.js";
export type { CFileLayout, IndexBlockLayout, IndexEntryLayout, IndexLayout } from "./file/layout.js";
export type { CFileVersion } from "./file/magic.js";
export type { MetadataPair } from "./file/metadata.js";
export { DELTA_INDEX_KEYS, deltaRowEnd, type IndexKeys } from "./index/index-keys.js";
export type { PlacedBlock } from "./index/list-data-blocks.js";
export type { SearchValue } from "./read/cell-target.js";
export { type OpenCFileOptions, openCFile } from "./read/open-cfile.js";
export { CFileReader } from "./read/reader.js";
export type {
  FindOptions,
  FoundRow,
  OpenOptions,
  Range,
  ReadAhead,
  ScanOptions,
} from "./read/reader-options.js";
export { type TableColumn, type TableRows, tableOfFiles } from "./read/table-of-files.js";
export type {
  ValidBlock,
  ValidBlockVisitor,
  VerifyOptions,
  VerifyProblem,
  VerifyReport,
} from "./verify/verify.js";
