/**
 * @module cfile: read, write and check Apache Kudu CFiles.
 *
 * `openCFile` and `createCFile` are the way in and the way out; the rest are the types that they speak.
 */
export {
  type BlockLocation,
  CFileError,
  type CFileErrorCode,
  DEFAULT_LIMITS,
  isCFileError,
  type Limits,
} from "@cfile/bytes";
export { builtinCodecs, type Codec, type CodecSet, type CompressionType } from "@cfile/compression";
export type {
  ArrayBatch,
  BinaryBatch,
  BinaryVector,
  BoolBatch,
  CellOptions,
  CellValue,
  ColumnBatch,
  DataType,
  DictionaryBatch,
  EncodingType,
  FixedBatch,
  FixedValues,
  InputCell,
  ScalarBatch,
} from "@cfile/encodings";
export { encodingsOf } from "@cfile/encodings";
export type {
  BlockEntry,
  CFileLayout,
  CFileReader,
  FoundRow,
  MetadataPair,
  OpenOptions,
  PartEntry,
  Range,
  RecoveryLedger,
  ScanOptions,
  ScanProgress,
  SearchValue,
  SelectedRows,
  SelectOptions,
  VerifyProblem,
  VerifyReport,
  Where,
  WriterOptions,
  WrittenFile,
} from "@cfile/format";
export { type ByteSink, type ByteSource, memorySink, type SinkInput, type SourceInput } from "@cfile/io";
export type { HttpSourceOptions } from "@cfile/io/http";
export type { KernelChoice } from "@cfile/kernels";
export { batchFromValues } from "./batch-from-values.js";
export { canonicalBytes } from "./canonical.js";
export { type AppendInput, CFileCreator, type CreateOptions, createCFile } from "./create.js";
export { Dataset, type DatasetProgress, type DatasetScanOptions, openDataset } from "./dataset/dataset.js";
export {
  type DatasetFiles,
  type DatasetInput,
  type DatasetPart,
  datasetFiles,
  type PartInput,
} from "./dataset/dataset-parts.js";
export { PartMemory } from "./dataset/part-memory.js";
export type { DatasetBatch, PartScanOptions } from "./dataset/scan-part.js";
export { type ScanSplitOptions, type Split, type SplitsOptions, scanSplit } from "./dataset/splits.js";
export { type OpenCFileOptions, openCFile, readUnchanged } from "./open.js";
export { type RecoveredFile, type RecoverOptions, recoverCFile } from "./recover.js";
export { type RewriteOptions, rewriteCFile, writerOptionsOf } from "./rewrite.js";
