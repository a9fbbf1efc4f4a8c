/** @module @cfile/parquet/recover: recover Parquet files page by page. */
export {
  type RecoveredColumn,
  RecoveredParquet,
  type RecoverParquetOptions,
  type RowRange,
  recoverParquet,
} from "./recover/recover-parquet.js";
