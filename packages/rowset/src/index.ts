/** @module @cfile/rowset: Kudu DiskRowSets: scans, look-ups, time travel. */
export type { RowSetFiles } from "./row-set-files.js";
export {
  type RowSetSinks,
  RowSetWriter,
  type RowSetWriterOptions,
  type WrittenRowSet,
} from "./row-set-writer.js";
export type { RowInput } from "./rows-to-batches.js";
export type { RowSetColumn, RowSetSchema } from "./schema.js";
