/** @module @cfile/rowset/write: write Kudu's DiskRowSets. */
export {
  type RowSetSinks,
  RowSetWriter,
  type RowSetWriterOptions,
  type WrittenRowSet,
} from "./write/row-set-writer.js";
export type { RowInput } from "./write/rows-to-batches.js";
