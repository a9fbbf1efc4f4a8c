/** @module @cfile/kudu-dir: the data directories of an Apache Kudu server, opened without it. */

export type { BlockRecord } from "./blocks/block-record.js";
export type { BlockPlace, BlockStores } from "./blocks/block-stores.js";
export { type ContainerFile, parseContainerFile } from "./blocks/container-file.js";
export type { StoredBlock } from "./blocks/stored-block.js";
export type { DataDirInstance, Instance } from "./catalog/instance.js";
export { keyExtents, type RowSetExtent, type TabletExtents } from "./catalog/key-extents.js";
export type { HashPartitioning, Partition, PartitionSchema } from "./catalog/partition-message.js";
export type { KuduColumn, KuduSchema } from "./catalog/schema-message.js";
export type { DataFolder, ServerRoots } from "./catalog/server-roots.js";
export { splitKeys } from "./catalog/split-keys.js";
export {
  parseSuperblock,
  type RowSetBlocks,
  rolesOf,
  type Superblock,
  type TabletState,
} from "./catalog/superblock.js";
export type { TabletSize } from "./catalog/tablet-size.js";
export type { CheckedDir, CheckedSize, CheckOptions } from "./check/check-dir.js";
export {
  type CheckedRowSet,
  type DirProblem,
  type RowSetChecker,
  type RowSetPlace,
  rowSetChecker,
} from "./check/check-row-set.js";
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
} from "./log/log-messages.js";
export type { ReplayedLog, UnflushedOperation } from "./log/log-replay.js";
export type { LogSegment } from "./log/log-segment.js";
export { type OperationKind, parseRowOperations, type RowOperation } from "./log/row-operations.js";
export { checkKuduDir, loadRows } from "./on-demand.js";
export {
  type BlockUse,
  KuduDir,
  type KuduDirInput,
  type KuduDirOptions,
  openKuduDir,
} from "./read/kudu-dir.js";
export { KuduTable, type OfTablet } from "./read/kudu-table.js";
export {
  KuduTablet,
  type TabletChangeOptions,
  type TabletHistoryOptions,
  type TabletLookUpOptions,
  type TabletScanOptions,
  type Tolerance,
  type UnreadablePart,
} from "./read/kudu-tablet.js";
export type { HistoryState, TabletRowSet } from "./read/tablet-row-set.js";
export type { RowRange } from "./salvage/lost-rows.js";
export { type FileAccount, isDamage, type RowSetAccount, SalvagedRowSet } from "./salvage/salvage-row-set.js";
