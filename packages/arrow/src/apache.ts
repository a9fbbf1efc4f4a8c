/** @module @cfile/arrow/apache: columns and record batches for the `apache-arrow` library. */
export {
  ApacheArrow,
  type ApacheLibrary,
  type ArrowRows,
  apacheArrow,
  type IpcOptions,
  type RecordBatches,
} from "./apache-arrow.js";
