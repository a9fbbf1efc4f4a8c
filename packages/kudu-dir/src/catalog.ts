/** @module @cfile/kudu-dir/catalog: superblocks, protobuf container files and key ranges of a server. */
export { parseBlockRecord } from "./blocks/block-record.js";
export { type ContainerFile, parseContainerFile } from "./blocks/container-file.js";
export {
  type ConsensusMetadata,
  parseConsensusMetadata,
  type RaftConfig,
  type RaftPeer,
} from "./catalog/consensus-message.js";
export type { DataDirInstance, Instance } from "./catalog/instance.js";
export { keyExtents, type RowSetExtent, type TabletExtents } from "./catalog/key-extents.js";
export {
  type CustomRange,
  type HashPartitioning,
  hashOfRange,
  type Partition,
  type PartitionSchema,
  type RangeBound,
  rangeEnd,
  rangeStart,
} from "./catalog/partition-message.js";
export { hasNumberedRows, type KuduColumn, type KuduSchema } from "./catalog/schema-message.js";
export type { DataFolder, ServerRoots } from "./catalog/server-roots.js";
export { splitKeys } from "./catalog/split-keys.js";
export {
  type BlockRole,
  parseSuperblock,
  type RowSetBlocks,
  rolesOf,
  type Superblock,
  type TabletState,
} from "./catalog/superblock.js";
export type { TabletSize } from "./catalog/tablet-size.js";
export { parseCatalogTable, parseCatalogTablet } from "./cluster/catalog-entries.js";
export { isRead, type ReplicaLog, tabletWrites } from "./cluster/replica-choice.js";
