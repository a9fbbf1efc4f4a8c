/** @module @cfile/parquet: CFiles and row sets to Parquet and back; Parquet files verified and recovered page by page. */
export { tableOfFiles } from "@cfile/format";
export type { PageDecompressors } from "./pages/page-codec.js";
export type { ChunkOptions } from "./read/column-chunk.js";
export { openParquet, type ParquetColumn, ParquetFile } from "./read/parquet-file.js";
export {
  type RecoveredColumn,
  RecoveredParquet,
  type RecoverParquetOptions,
  type RowRange,
  recoverParquet,
} from "./recover/recover-parquet.js";
export { type ParquetLoss, type ParquetReport, verifyParquet } from "./recover/verify-parquet.js";
export {
  type ExportOptions,
  exportParquet,
  type ParquetTable,
  type WrittenParquet,
} from "./write/export-parquet.js";
export { joinParquet } from "./write/join-parquet.js";
export type { WrittenCodec } from "./write/page-writer.js";
