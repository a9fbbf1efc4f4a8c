/** @module @cfile/parquet: CFiles and row sets to Parquet and back; Parquet files verified and recovered page by page. */
export type { ChunkOptions } from "./column-chunk.js";
export {
  type ExportOptions,
  exportParquet,
  type ParquetTable,
  tableOfFiles,
  type WrittenParquet,
} from "./export-parquet.js";
export type { PageDecompressors } from "./page-codec.js";
export type { WrittenCodec } from "./page-writer.js";
export { openParquet, type ParquetColumn, ParquetFile } from "./parquet-file.js";
export {
  type ParquetLoss,
  type ParquetReport,
  type RecoveredParquet,
  recoverParquet,
  verifyParquet,
} from "./verify-parquet.js";
