/** @module cfile: read, write and verify Apache Kudu CFiles. Start with `openCFile` and `createCFile`. */
export {
  type BlockLocation,
  CFileError,
  type CFileErrorCode,
  DEFAULT_LIMITS,
  isCFileError,
  type Limits,
  MemoryArena,
  type Progress,
} from "@cfile/bytes";
export type { Codec, CodecSet, CompressionType } from "@cfile/compression";
export { builtinCodecs } from "@cfile/compression/codecs";
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
export { encodingsOf, rowNumbers } from "@cfile/encodings";
export type { TableBatch } from "@cfile/encodings/batches";
export type { Condition, Conditions } from "@cfile/encodings/conditions";
export type {
  CFileLayout,
  CFileReader,
  FindOptions,
  FoundRow,
  MetadataPair,
  OpenCFileOptions,
  OpenOptions,
  Range,
  ScanOptions,
  SearchValue,
  VerifyProblem,
  VerifyReport,
} from "@cfile/format";
export { openCFile } from "@cfile/format";
export type { BlockEntry, PartEntry, RecoveryLedger } from "@cfile/format/recover";
export type { AppendInput, CFileWriter, WriterOptions, WrittenFile } from "@cfile/format/write";
export { type ByteSink, type ByteSource, memorySink, type SinkInput, type SourceInput } from "@cfile/io";
export type { HttpSourceOptions } from "@cfile/io/http";
export type { KernelChoice } from "@cfile/kernels";
export { batchFromValues } from "./batch-from-values.js";
export { type CreateOptions, createCFile } from "./create.js";
export { readUnchanged } from "./read-unchanged.js";
