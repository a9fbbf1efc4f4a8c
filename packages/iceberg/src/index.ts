/** @module @cfile/iceberg: write and read Iceberg tables: data files, manifests, snapshots. */
export type { NewTable } from "./metadata/new-table.js";
export { type IcebergTable, openIcebergTable, type TableFolders } from "./metadata/table-folders.js";
export {
  history,
  type Snapshot,
  snapshotAt,
  type TableMetadata,
} from "./metadata/table-metadata.js";
export { type IcebergRows, readSnapshot, type SnapshotRows } from "./read/read-snapshot.js";
export {
  type IcebergField,
  type IcebergSchema,
  type IcebergType,
  icebergSchema,
  type SourceColumn,
} from "./schema/iceberg-schema.js";
export {
  isInPartition,
  type PartitionField,
  type PartitionSpec,
  type PartitionValue,
  partitionValue,
} from "./schema/partition.js";
export { commitSnapshot, createIcebergTable, type SnapshotContent } from "./write/commit.js";
export {
  type IcebergFile,
  type IcebergFileColumn,
  type IcebergFileOptions,
  writeIcebergFile,
} from "./write/iceberg-file.js";
