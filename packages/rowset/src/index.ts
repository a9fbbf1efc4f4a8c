/** @module @cfile/rowset: Kudu DiskRowSets: scans, lookups, time travel. */
export type { DiffBatch, DiffOptions } from "./delta/row-changes.js";
export type { HistoryOptions, RowVersion } from "./delta/row-history.js";
export { encodeRowKey, type KeyRange, type RowKey } from "./keys/row-key.js";
export { compareKeys, encodeRowKeys, keyAt, type RowKeys } from "./keys/row-keys.js";
export type { LookUpOptions, RowCells } from "./read/row-lookup.js";
export type { RowSetFiles, RowSetOptions } from "./read/row-set-parts.js";
export { openRowSet, RowSetReader } from "./read/row-set-reader.js";
export { scanInTurn } from "./read/scan-in-turn.js";
export {
  checkBatchRows,
  checkLimit,
  type ReadOptions,
  type RowOrder,
  type RowScanOptions,
} from "./read/scan-options.js";
export { TabletReader } from "./read/tablet-reader.js";
export type { RowSetColumn, RowSetSchema } from "./schema/schema.js";
