/** @module @cfile/rowset: Kudu DiskRowSets: scans, look-ups, time travel. */

export type { ChangeOptions } from "./delta/row-changes.js";
export type { HistoryOptions, RowVersion } from "./delta/row-history.js";
export type { KeyRange, RowKey } from "./keys/row-key.js";
export { encodeRowKey } from "./keys/row-key.js";
export { encodeRowKeys, type RowKeys } from "./keys/row-keys.js";
export { openRowSet, readManifest } from "./read/open-row-set.js";
export type { Predicate, PredicateOp } from "./read/predicate.js";
export type { ChangeBatch, RowBatch, RowCells } from "./read/row-batch.js";
export type { LookUpOptions } from "./read/row-look-up.js";
export type { RowSetFiles } from "./read/row-set-files.js";
export type { RowSetOptions } from "./read/row-set-parts.js";
export { RowSetReader } from "./read/row-set-reader.js";
export { scanInTurn } from "./read/scan-in-turn.js";
export type { ReadOptions, RowOrder, RowScanOptions } from "./read/scan-options.js";
export { TabletReader } from "./read/tablet-reader.js";
export { JsonFields } from "./schema/json-fields.js";
export type { RowSetColumn, RowSetSchema } from "./schema/schema.js";
export { type CreateRowSetOptions, createRowSet, type RowSetCreator } from "./store/create-row-set.js";
export { columnJson, type Manifest, type ManifestFile, type ManifestRowSet } from "./store/manifest.js";
export { parseColumn } from "./store/parse-manifest.js";
export type { OpenRowSetOptions, RowSetHandle, WriteResult } from "./store/row-set-handle.js";
export type { RowSetProblem } from "./verify/row-set-problem.js";
export {
  type RowSetVerifyOptions,
  type RowSetVerifyReport,
  verifyRowSet,
} from "./verify/verify-row-set.js";
export {
  type RowSetSinks,
  RowSetWriter,
  type RowSetWriterOptions,
  type WrittenRowSet,
} from "./write/row-set-writer.js";
export type { RowInput } from "./write/rows-to-batches.js";
