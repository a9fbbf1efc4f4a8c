/** @module @cfile/parquet/recover: verify and recover Parquet files page by page. */
export {
  type RecoveredColumn,
  RecoveredParquet,
  type RecoverParquetOptions,
  type RowRange,
  recoverParquet,
} from "./recover/recover-parquet.js";
export { type ParquetLoss, type ParquetReport, verifyParquet } from "./recover/verify-parquet.js";
