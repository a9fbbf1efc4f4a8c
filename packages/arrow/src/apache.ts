/** @module @cfile/arrow/apache: columns and record batches for the `apache-arrow` library. */
export {
  ApacheArrow,
  type ArrowRows,
  apacheArrow,
  type IpcOptions,
  type RecordBatches,
} from "./apache-arrow.js";
export type { ApacheLibrary } from "./apache-types.js";
