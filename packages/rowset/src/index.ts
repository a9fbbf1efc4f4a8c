/** @module @cfile/rowset: Kudu DiskRowSets: scans, look-ups, time travel. */
export type { RowSetFiles } from "./row-set-files.js";
export type { RowSetColumn, RowSetSchema } from "./schema.js";
