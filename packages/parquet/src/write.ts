/** @module @cfile/parquet/write: write Parquet files. */
export type { ColumnMetrics } from "./write/column-metrics.js";
export {
  type ExportOptions,
  exportParquet,
  type ParquetTable,
  type WrittenTable,
} from "./write/export-parquet.js";
export { type JoinOptions, joinParquet } from "./write/join-parquet.js";
export type { WrittenCodec } from "./write/page-compressor.js";
export type { WrittenParquet } from "./write/parquet-output.js";
