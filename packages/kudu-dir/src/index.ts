/** @module @cfile/kudu-dir: the data directories of an Apache Kudu server, opened without it. */
export type { BlockRecord } from "./blocks/block-record.js";
export type { BlockPlace, BlockStores } from "./blocks/block-stores.js";
export type { StoredBlock } from "./blocks/stored-block.js";
export type { LoadedRows, LoadOptions, RowsToLoad } from "./load/load-rows.js";
export type { OpenFolder } from "./load/new-blocks.js";
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
