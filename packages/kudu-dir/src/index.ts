/** @module @cfile/kudu-dir: the data directories of an Apache Kudu server or cluster, opened without it. */
export type { BlockRecord } from "./blocks/block-record.js";
export type { BlockPlace, BlockStores } from "./blocks/block-stores.js";
export type { StoredBlock } from "./blocks/stored-block.js";
export type {
  CatalogTable,
  CatalogTablet,
  CatalogTabletState,
  TableState,
} from "./cluster/catalog-entries.js";
export {
  type ClusterCheckOptions,
  type ClusterProblem,
  type ClusterProblemKind,
  type ClusterReport,
  type ComparedTablet,
  checkCluster,
  type DescribedPartition,
} from "./cluster/check-cluster.js";
export { ClusterTable } from "./cluster/cluster-table.js";
export {
  type ClusterTablet,
  type KuduCluster,
  type KuduClusterOptions,
  openKuduCluster,
} from "./cluster/kudu-cluster.js";
export { CATALOG_TABLET, type Catalog, hasPrivateKey } from "./cluster/read-catalog.js";
export type { Replica, ReplicaOperation } from "./cluster/replica.js";
export type { TabletWrites, WriteScope } from "./cluster/replica-choice.js";
export { type ReplicaDigest, replicaDigests, type TabletDigests } from "./cluster/replica-digests.js";
export type { ReplicatedTablet } from "./cluster/replicated-tablet.js";
export type { LoadedRows, LoadOptions, RowsToLoad } from "./load/load-rows.js";
export type { OpenFolder } from "./load/new-blocks.js";
export type { LogEnd } from "./log/tablet-log.js";
export {
  checkKuduDir,
  loadRows,
  rebuildKuduDir,
  restoreCluster,
  tableOfColumns,
  tablesOfCluster,
  writeRebuiltMetadata,
} from "./on-demand.js";
export { type BlockUse, type DamagedTablet, KuduDir, type KuduDirOptions } from "./read/kudu-dir.js";
export { KuduTable, type MissingTablet, type OfTablet } from "./read/kudu-table.js";
export { KuduTablet } from "./read/kudu-tablet.js";
export { type KuduDirInput, openKuduDir, openKuduServers } from "./read/open-kudu-dir.js";
export type {
  ReplicaNotice,
  SkippedReplica,
  TabletChangeOptions,
  TabletHistoryOptions,
  TabletLookUpOptions,
  TabletScanOptions,
  Tolerance,
  UnreadablePart,
} from "./read/tablet-options.js";
export type { HistoryState, TabletRowSet } from "./read/tablet-row-set.js";
export type { ChosenOwner, RebuildChoices } from "./rebuild/rebuild-choices.js";
export type {
  AmbiguousFiles,
  RebuildOptions,
  RebuiltDir,
  RebuiltRowSet,
  RebuiltTablet,
} from "./rebuild/rebuild-dir.js";
export type { FoundFile } from "./rebuild/row-set-group.js";
export type { BlockKind, SurveyedBlock } from "./rebuild/survey-blocks.js";
export type { GivenColumn, KnownTable, KnownTablet, TableOrigin } from "./rebuild/tables/known-tables.js";
export type { WriteMetadataOptions, WrittenMetadata } from "./rebuild/write-metadata.js";
export type {
  RestoredCluster,
  RestoredServer,
  RestoredTable,
  RestoredTablet,
  RestoreOptions,
} from "./restore/restore-options.js";
