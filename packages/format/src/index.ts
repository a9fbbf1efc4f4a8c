/** @module @cfile/format: CFile header, footer, blocks, reader, writer and verifier. */
export { BlockCache, type Cacheable } from "@cfile/bytes";
export {
  type AnnotatedColumn,
  annotateDataBlock,
  annotateDictionary,
} from "./annotate/annotate-data-block.js";
export { annotateBloomBlock, annotateFooter, annotateHeader } from "./annotate/annotate-file-frame.js";
export { annotateIndexBlock, type KeysOf } from "./annotate/annotate-index-block.js";
export { type NotedStream, noteRle } from "./annotate/annotate-rle.js";
export { annotateStoredBlock } from "./annotate/annotate-wrapper.js";
export { type AnnotateOptions, type ByteNote, ByteNotes, type ByteRole } from "./annotate/byte-note.js";
export { BlockReader, type BlockReadOptions } from "./blocks/block-reader.js";
export { type BlockWrapping, unwrapBlock, wrapBlock } from "./blocks/block-wrapper.js";
export { type BlockColumn, type DataBlock, openDataBlock } from "./blocks/data-block.js";
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
export { encodeFooter } from "./file/footer-encoder.js";
export { type CFileHeader, parseHeader } from "./file/header.js";
export { encodeHeader } from "./file/header-encoder.js";
export type { CFileLayout, IndexBlockLayout, IndexEntryLayout, IndexLayout } from "./file/layout.js";
export type { CFileVersion } from "./file/magic.js";
export type { MetadataPair } from "./file/metadata.js";
export { DELTA_INDEX_KEYS, deltaRowEnd, type IndexKeys } from "./index/index-keys.js";
export type { PlacedBlock } from "./index/list-leaves.js";
export type { SearchValue } from "./read/cell-target.js";
export { CFileReader } from "./read/reader.js";
export type {
  FoundRow,
  OpenOptions,
  Range,
  ReadAhead,
  ScanMemory,
  ScanOptions,
} from "./read/reader-options.js";
export type { ScanProgress } from "./read/scan.js";
export { type TableColumn, type TableRows, tableOfFiles } from "./read/table-of-files.js";
export type { SurveyOptions } from "./recover/recover-options.js";
export { RecoverableFile } from "./recover/recoverable-file.js";
export type {
  BlockEntry,
  ColumnKnowledge,
  Knowledge,
  PartEntry,
  RecoveryLedger,
} from "./recover/rows/ledger.js";
export { surveyCFile } from "./recover/survey.js";
export type { SelectedRows, SelectOptions, Where } from "./select/select-rows.js";
export type {
  SoundBlock,
  SoundBlockVisitor,
  VerifyOptions,
  VerifyProblem,
  VerifyReport,
} from "./verify/verify.js";
export type { VerifyMemory } from "./verify/verify-memory.js";
export {
  CFileContainerWriter,
  type FileEnd,
  type RawBlock,
  type WrittenFile,
} from "./write/container-writer.js";
export { CFileWriter } from "./write/writer.js";
export type { ResolvedWriterOptions, WriterOptions } from "./write/writer-options.js";
