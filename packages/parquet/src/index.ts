/** @module @cfile/parquet: CFiles and row sets to Parquet and back; Parquet files verified and recovered page by page. */
export { tableOfFiles } from "@cfile/format";
export type { ChunkOptions } from "./column-chunk.js";
export {
  type ExportOptions,
  exportParquet,
  type ParquetTable,
  type WrittenParquet,
} from "./export-parquet.js";
export { joinParquet } from "./join-parquet.js";
export type { PageDecompressors } from "./page-codec.js";
export type { WrittenCodec } from "./page-writer.js";
export { openParquet, type ParquetColumn, ParquetFile } from "./parquet-file.js";
export {
  type RecoveredColumn,
  RecoveredParquet,
  type RecoverParquetOptions,
  type RowRange,
  recoverParquet,
} from "./recover-parquet.js";
export { type ParquetLoss, type ParquetReport, verifyParquet } from "./verify-parquet.js";
