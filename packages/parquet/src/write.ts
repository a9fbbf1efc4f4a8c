/** @module @cfile/parquet/write: write Parquet files. */
export {
  type ExportOptions,
  exportParquet,
  type ParquetTable,
  type WrittenParquet,
} from "./write/export-parquet.js";
export { joinParquet } from "./write/join-parquet.js";
export type { WrittenCodec } from "./write/page-compressor.js";
