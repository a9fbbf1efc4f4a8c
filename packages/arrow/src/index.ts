/** @module @cfile/arrow: columns of CFiles and row sets as Arrow vectors, record batches and IPC, without copying. */
export { type Digits, type TableRows, tableOfFiles } from "@cfile/format";
export { type ArrowColumn, TYPE_KEY } from "./arrow-type.js";
export { type TableOptions, tableOfScan } from "./row-columns.js";
