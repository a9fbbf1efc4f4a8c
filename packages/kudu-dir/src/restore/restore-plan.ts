/** Plans the tables and tablets of a restored cluster, from the catalog or, without a master, from superblocks. */
import { CFileError, compareBytes, invalidArgument } from "@cfile/bytes";
import { MessageReader } from "@cfile/protobuf/read";
import type { RaftConfig } from "../catalog/consensus-message.js";
import { type Partition, partitionSchemaOf } from "../catalog/partition-message.js";
import { schemaOf } from "../catalog/schema-message.js";
import type { DescribedPartition } from "../cluster/check-cluster.js";
import type { ClusterTablet, KuduCluster } from "../cluster/kudu-cluster.js";
import { missingBuckets, rangesBetween } from "../cluster/partition-gaps.js";
import { catalogEntries, ENTRY } from "../cluster/read-catalog.js";
import {
  decodeSysTablesEntryPB,
  decodeSysTabletsEntryPB,
  decodeTabletSuperBlockPB,
  type PartitionPB,
  type SysTablesEntryPB,
  type TabletSuperBlockPB,
} from "../generated/decode.js";

/** A table to restore. */
export interface PlannedTable {
  readonly id: string;
  /** Its entry in the new catalog, except for the replication factor. */
  readonly entry: SysTablesEntryPB;
  readonly tablets: readonly PlannedTablet[];
  /** Hash partitions that must exist, but that neither a catalog nor a disk has. */
  readonly gaps: readonly DescribedPartition[];
  /** Ranges between those of the tablets, if without a master it is unknown whether the table has them. */
  readonly unknown: readonly DescribedPartition[];
  /** Why a tablet on the disks is not restored. */
  readonly notes: readonly string[];
}

/** A tablet to restore. */
export interface PlannedTablet {
  readonly partition?: PartitionPB | undefined;
  readonly dimensionLabel?: string | undefined;
  /** Its replicas on the disks. */
  readonly source: ClusterTablet;
}

export interface RestorePlan {
  readonly clusterId: string | undefined;
  readonly tables: readonly PlannedTable[];
  /** The catalog entry with the last event of the Hive Metastore that the masters processed. */
  readonly hivePosition: { readonly id: string; readonly message: Uint8Array } | undefined;
}

/** Numbers of `SysTablesEntryPB.State` and `SysTabletsEntryPB.State`. */
const TABLE = { running: 2, softDeleted: 5 } as const;
const TRANSACTION_STATUS = 1;
const SECOND = 1000;

/**
 * @param names names or IDs of tables; default: all
 * @throws {CFileError} `E_NOT_FOUND` for an unknown table; `E_INVALID_ARGUMENT` if two tables have the same name; `E_UNSUPPORTED` if two
 *   tablets have the same keys; as reading the catalog
 */
export async function planRestore(
  cluster: KuduCluster,
  names: readonly string[] | undefined,
): Promise<RestorePlan> {
  const recorded = await readEntries(cluster);
  const tables: PlannedTable[] = [];
  const known = await cluster.tableNames();
  const unknown = names?.find((one) => ![...known].some(([id, { name }]) => id === one || name === one));
  if (unknown !== undefined) {
    throw new CFileError("E_NOT_FOUND", `no table ${JSON.stringify(unknown)}`, { field: "table" });
  }
  for (const [id, { name }] of known) {
    if (names !== undefined && !names.includes(id) && !names.includes(name)) {
      continue;
    }
    if (tables.some((other) => other.entry.name === name)) {
      const reason = `several tables are named ${JSON.stringify(name)}; select one of them by its ID`;
      throw invalidArgument(reason, { field: "table" });
    }
    const table = await planTable(cluster, id, name, recorded);
    tables.push(...(table === undefined ? [] : [table]));
  }
  const { clusterId, hivePosition } = recorded;
  return { clusterId, tables, hivePosition };
}

interface RecordedEntries {
  readonly clusterId: string | undefined;
  readonly hivePosition: RestorePlan["hivePosition"];
  readonly tables: ReadonlyMap<string, SysTablesEntryPB>;
  readonly tablets: ReadonlyMap<string, PlannedTabletEntry>;
}

type PlannedTabletEntry = Pick<PlannedTablet, "partition" | "dimensionLabel">;

async function readEntries(cluster: KuduCluster): Promise<RecordedEntries> {
  const catalog = await cluster.catalog();
  const tables = new Map<string, SysTablesEntryPB>();
  const tablets = new Map<string, PlannedTabletEntry>();
  let hivePosition: RestorePlan["hivePosition"];
  const tablet = await cluster.catalogTablet();
  if (tablet !== undefined) {
    for await (const { type, id, message } of catalogEntries(tablet)) {
      if (message === undefined) {
        continue;
      }
      if (type === ENTRY.table) {
        tables.set(id, decodeSysTablesEntryPB(new MessageReader(message, "SysTablesEntryPB")));
      } else if (type === ENTRY.tablet) {
        tablets.set(id, decodeSysTabletsEntryPB(new MessageReader(message, "SysTabletsEntryPB")));
      } else if (type === ENTRY.hiveMetastorePosition) {
        hivePosition = { id, message };
      }
    }
  }
  return { clusterId: catalog?.clusterId, hivePosition, tables, tablets };
}

/** @returns `undefined` for the table of the cluster's transactions, which the new cluster creates itself */
async function planTable(
  cluster: KuduCluster,
  id: string,
  name: string,
  recorded: RecordedEntries,
): Promise<PlannedTable | undefined> {
  const sources = await cluster.replicaSets(id);
  const { blocks, newest } = await superblocks(sources);
  if (newest?.tableType === TRANSACTION_STATUS) {
    return undefined;
  }
  const entry = recorded.tables.get(id);
  const isKnown = (source: ClusterTablet): boolean => entry === undefined || source.catalog !== undefined;
  const tablets = sources.filter(isKnown).map((source) => {
    const { partition, dimensionLabel } = recorded.tablets.get(source.id) ?? blocks.get(source.id) ?? {};
    return { source, partition, dimensionLabel };
  });
  requireDisjoint(name, tablets);
  const notes = sources
    .filter((source) => !isKnown(source))
    .map((source) => `tablet ${source.id} is not in the catalog (its partition was dropped)`);
  return {
    id,
    ...(entry === undefined
      ? foundTable(entryOf(name, newest, blocks, sources), sources)
      : { entry: renewed(entry, newest), gaps: [], unknown: [] }),
    tablets,
    notes,
  };
}

/** A table that no catalog has, with the partitions that no tablet on the disks has. */
function foundTable(
  entry: SysTablesEntryPB,
  sources: readonly ClusterTablet[],
): Pick<PlannedTable, "entry" | "gaps" | "unknown"> {
  const described = (partition: Partition) => describedPartition({ entry }, { partition });
  const partitions = sources.map(({ partition }) => partition);
  const schema = schemaOf(entry.schema);
  const partitionSchema = entry.partitionSchema && partitionSchemaOf(entry.partitionSchema, schema);
  return {
    entry,
    gaps: missingBuckets(partitionSchema, partitions).map(described),
    unknown: rangesBetween(partitions).map(described),
  };
}

async function superblocks(sources: readonly ClusterTablet[]) {
  const blocks = new Map<string, TabletSuperBlockPB>();
  let newest: TabletSuperBlockPB | undefined;
  for (const { id, replicas } of sources) {
    for (const { dir } of replicas) {
      const file = await dir.metadataFile("tablet-meta", id);
      const block = file && decodeTabletSuperBlockPB(new MessageReader(file.record, "TabletSuperBlockPB"));
      if (block !== undefined) {
        blocks.set(id, block);
        newest = (block.schemaVersion ?? 0) > (newest?.schemaVersion ?? -1) ? block : newest;
      }
    }
  }
  return { blocks, newest };
}

/** Without a master, replicas of a dropped partition can remain on a server. */
function requireDisjoint(table: string, tablets: readonly PlannedTablet[]): void {
  const sorted = tablets
    .map(({ source }) => source)
    .sort((left, right) => compareBytes(left.partition.keyStart, right.partition.keyStart));
  for (const [i, { id, partition }] of sorted.entries()) {
    const next = sorted[i + 1];
    const isOpen = partition.keyEnd.length === 0;
    if (next !== undefined && (isOpen || compareBytes(partition.keyEnd, next.partition.keyStart) > 0)) {
      const reason = `tablets ${id} and ${next.id} of table ${JSON.stringify(table)} have the same keys; one of them was dropped. Add the directories of a master`;
      throw new CFileError("E_UNSUPPORTED", reason, { field: "partition" });
    }
  }
}

/** The entry of the old catalog; the schema of a replica if that is newer. */
function renewed(old: SysTablesEntryPB, newest: TabletSuperBlockPB | undefined): SysTablesEntryPB {
  const version = newest?.schemaVersion ?? 0;
  const isNewer = newest !== undefined && version > old.version;
  const isSoftDeleted = old.state === TABLE.softDeleted;
  return {
    ...old,
    ...(isNewer ? { version, schema: newest.schema } : {}),
    state: isSoftDeleted ? TABLE.softDeleted : TABLE.running,
    // The time to recall the table starts again.
    deleteTimestamp: isSoftDeleted ? Math.floor(Date.now() / SECOND) : undefined,
  };
}

/** An entry from superblocks. */
function entryOf(
  name: string,
  newest: TabletSuperBlockPB | undefined,
  blocks: ReadonlyMap<string, TabletSuperBlockPB>,
  sources: readonly ClusterTablet[],
): SysTablesEntryPB {
  if (newest === undefined) {
    throw new CFileError("E_NOT_FOUND", `no superblock of table ${JSON.stringify(name)}`, { field: "table" });
  }
  const { schema, schemaVersion = 0, partitionSchema, extraConfig } = newest;
  // Row sets can still have columns that were dropped. Their IDs must not be reused.
  const used = [...blocks.values()].flatMap((block) => [
    ...block.schema.columns.map(({ id = -1 }) => id),
    ...block.rowsets.flatMap(({ columns }) => columns.map(({ columnId }) => columnId)),
  ]);
  const now = Math.floor(Date.now() / SECOND);
  return {
    name,
    version: schemaVersion,
    schema,
    numReplicas: Math.max(1, ...sources.map(({ config }) => votersOf(config))),
    state: TABLE.running,
    nextColumnId: used.reduce((left, right) => Math.max(left, right), -1) + 1,
    partitionSchema,
    extraConfig,
    createTimestamp: now,
    alterTimestamp: now,
  };
}

function votersOf(config: RaftConfig | undefined): number {
  return config?.peers.filter(({ isVoter }) => isVoter).length ?? 0;
}

export function describedPartition(
  { entry }: Pick<PlannedTable, "entry">,
  { partition }: Pick<ClusterTablet, "partition">,
): DescribedPartition {
  const schema = schemaOf(entry.schema);
  const { partitionSchema } = entry;
  return {
    partition,
    schema,
    partitionSchema: partitionSchema && partitionSchemaOf(partitionSchema, schema),
  };
}

/** Whether the master had not yet created it on any server. */
export function isUnborn({ catalog, replicas }: ClusterTablet): boolean {
  return replicas.length === 0 && (catalog?.state === "preparing" || catalog?.state === "creating");
}
