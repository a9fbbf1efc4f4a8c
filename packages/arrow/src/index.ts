/** @module @cfile/arrow: columns of CFiles and row sets as Arrow vectors, record batches and IPC, without copying. */
export { type Digits, type TableRows, tableOfFiles } from "@cfile/format";
export {
  ApacheArrow,
  type ApacheLibrary,
  type ArrowRows,
  apacheArrow,
  type IpcOptions,
  type RecordBatches,
} from "./apache-arrow.js";
export { type ArrowColumn, TYPE_KEY } from "./arrow-type.js";
export { Flechette, type FlechetteLibrary, flechette } from "./flechette.js";
export { type TableOptions, tableOfScan } from "./row-columns.js";
