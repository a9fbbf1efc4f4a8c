/** @module @cfile/hbase: the tables and snapshots of a root directory of HBase, read without HBase. */
export { TableCells } from "./cells/table-cells.js";
export type { FileLoss } from "./files/damage-ledger.js";
export type { BloomType } from "./files/file-facts.js";
export type { Attributes, FamilyDescriptor, TableDescriptor } from "./root/descriptor.js";
export type { RegionInfo } from "./root/region-info.js";
export type { SnapshotInfo } from "./root/snapshot-manifest.js";
export { parseTableName, type TableName, tableNameText } from "./root/table-name.js";
export type { RegionFile, RegionFiles } from "./scan/region-files.js";
export type { BytesOrText, CellOptions, ColumnName, TableScanOptions } from "./scan/scan-options.js";
export type { FileBloomFilters } from "./table/bloom-question.js";
export {
  HBaseRoot,
  type HBaseRootInput,
  type HBaseRootOptions,
  type HBaseTableOptions,
  openHBaseRoot,
} from "./table/hbase-root.js";
export { HBaseTable, type RegionRows } from "./table/hbase-table.js";
