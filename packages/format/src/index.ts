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
export { BlockReader, type BlockReadOptions } from "./block-reader.js";
export { type BlockWrapping, unwrapBlock, wrapBlock } from "./block-wrapper.js";
export type { SearchValue } from "./cell-target.js";
export {
  CFileContainerWriter,
  type FileEnd,
  type RawBlock,
  type WrittenFile,
} from "./container-writer.js";
export { type BlockColumn, type DataBlock, openDataBlock } from "./data-block.js";
export { type Digits, digitsMetadata, digitsOf } from "./decimal-digits.js";
export { type FileKind, fileKindOf } from "./file-kind.js";
export { type FileStructure, readFileStructure, type StructureReadOptions } from "./file-structure.js";
export {
  type CFileFooter,
  FEATURE_ARRAY_DATA_BLOCK,
  FEATURE_CHECKSUM,
  MAX_ROWS,
  parseFooter,
} from "./footer.js";
export { encodeFooter } from "./footer-encoder.js";
export { type CFileHeader, parseHeader } from "./header.js";
export { encodeHeader } from "./header-encoder.js";
export { DELTA_INDEX_KEYS, deltaRowEnd, type IndexKeys } from "./index-keys.js";
export type { CFileLayout, IndexBlockLayout, IndexEntryLayout, IndexLayout } from "./layout.js";
export type { PlacedBlock } from "./list-leaves.js";
export type { CFileVersion } from "./magic.js";
export type { MetadataPair } from "./metadata.js";
export { CFileReader } from "./reader.js";
export type { FoundRow, OpenOptions, Range, ReadAhead, ScanMemory, ScanOptions } from "./reader-options.js";
export type {
  BlockEntry,
  ColumnKnowledge,
  Knowledge,
  PartEntry,
  RecoveryLedger,
} from "./recover/ledger.js";
export type { SurveyOptions } from "./recover/recover-options.js";
export { RecoverableFile } from "./recover/recoverable-file.js";
export { surveyCFile } from "./recover/survey.js";
export type { ScanProgress } from "./scan.js";
export type { SelectedRows, SelectOptions, Where } from "./select-rows.js";
export { type TableColumn, type TableRows, tableOfFiles } from "./table-of-files.js";
export type { SoundBlock, SoundBlockVisitor, VerifyOptions, VerifyProblem, VerifyReport } from "./verify.js";
export type { VerifyMemory } from "./verify-memory.js";
export { CFileWriter } from "./writer.js";
export type { ResolvedWriterOptions, WriterOptions } from "./writer-options.js";
