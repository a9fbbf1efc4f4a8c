/** @module @cfile/rowset: Kudu DiskRowSets: scans, look-ups, time travel. */

export { type CreateRowSetOptions, createRowSet, type RowSetCreator } from "./create-row-set.js";
export { JsonFields } from "./json-fields.js";
export { columnJson, type Manifest, type ManifestFile, type ManifestRowSet } from "./manifest.js";
export { openRowSet, readManifest } from "./open-row-set.js";
export { parseColumn } from "./parse-manifest.js";
export type { Predicate, PredicateOp } from "./predicate.js";
export type { ChangeBatch, RowBatch, RowCells } from "./row-batch.js";
export type { ChangeOptions } from "./row-changes.js";
export type { HistoryOptions, RowVersion } from "./row-history.js";
export type { KeyRange, RowKey } from "./row-key.js";
export { encodeRowKey } from "./row-key.js";
export { encodeRowKeys, type RowKeys } from "./row-keys.js";
export type { LookUpOptions } from "./row-look-up.js";
export type { RowSetFiles } from "./row-set-files.js";
export type { OpenRowSetOptions, RowSetHandle, WriteResult } from "./row-set-handle.js";
export type { RowSetOptions } from "./row-set-parts.js";
export type { RowSetProblem } from "./row-set-problem.js";
export { RowSetReader } from "./row-set-reader.js";
export {
  type RowSetSinks,
  RowSetWriter,
  type RowSetWriterOptions,
  type WrittenRowSet,
} from "./row-set-writer.js";
export type { RowInput } from "./rows-to-batches.js";
export { scanInTurn } from "./scan-in-turn.js";
export type { ReadOptions, RowOrder, RowScanOptions } from "./scan-options.js";
export type { RowSetColumn, RowSetSchema } from "./schema.js";
export { TabletReader } from "./tablet-reader.js";
export {
  type RowSetVerifyOptions,
  type RowSetVerifyReport,
  verifyRowSet,
} from "./verify-row-set.js";
