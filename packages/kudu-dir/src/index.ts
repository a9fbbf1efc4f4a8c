/** @module @cfile/kudu-dir: the data directories of an Apache Kudu server, opened without it. */

export type { BlockRecord } from "./block-record.js";
export type { BlockPlace, BlockStores } from "./block-stores.js";
export type { CheckedDir, CheckedSize, CheckOptions } from "./check-dir.js";
export {
  type CheckedRowSet,
  type DirProblem,
  type RowSetChecker,
  type RowSetPlace,
  rowSetChecker,
} from "./check-row-set.js";
export { type ContainerFile, parseContainerFile } from "./container-file.js";
export type { DataDirInstance, Instance } from "./instance.js";
export { keyExtents, type RowSetExtent, type TabletExtents } from "./key-extents.js";
export { type BlockUse, KuduDir, type KuduDirInput, type KuduDirOptions, openKuduDir } from "./kudu-dir.js";
export { KuduTable, type OfTablet } from "./kudu-table.js";
export {
  KuduTablet,
  type TabletChangeOptions,
  type TabletHistoryOptions,
  type TabletLookUpOptions,
  type TabletScanOptions,
  type Tolerance,
  type UnreadablePart,
} from "./kudu-tablet.js";
export type { LoadedRows, LoadOptions, RowsToLoad } from "./load/load-rows.js";
export type { OpenFolder } from "./load/new-blocks.js";
export {
  type Commit,
  type LogEntry,
  type MutatedStore,
  type OperationId,
  type OperationResult,
  parseLogEntries,
  type Replicate,
  type WriteRequest,
} from "./log-messages.js";
export type { ReplayedLog, UnflushedOperation } from "./log-replay.js";
export type { LogSegment } from "./log-segment.js";
export type { RowRange } from "./lost-rows.js";
export { checkKuduDir, loadRows } from "./on-demand.js";
export type { HashPartitioning, Partition, PartitionSchema } from "./partition-message.js";
export { type OperationKind, parseRowOperations, type RowOperation } from "./row-operations.js";
export { type FileAccount, isDamage, type RowSetAccount, SalvagedRowSet } from "./salvage-row-set.js";
export type { KuduColumn, KuduSchema } from "./schema-message.js";
export type { DataFolder, ServerRoots } from "./server-roots.js";
export { splitKeys } from "./split-keys.js";
export type { StoredBlock } from "./stored-block.js";
export {
  parseSuperblock,
  type RowSetBlocks,
  rolesOf,
  type Superblock,
  type TabletState,
} from "./superblock.js";
export type { HistoryState, TabletRowSet } from "./tablet-row-set.js";
export type { TabletSize } from "./tablet-size.js";
