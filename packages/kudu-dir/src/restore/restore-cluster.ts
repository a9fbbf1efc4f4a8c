/** Writes the directories of a new cluster with the tables of another: a master, and tablet servers with a replica of each tablet. */
import { CFileError, invalidArgument, MemoryArena } from "@cfile/bytes";
import { schemaOf } from "../catalog/schema-message.js";
import { noReplica } from "../cluster/cluster-table.js";
import type { ClusterTablet, KuduCluster } from "../cluster/kudu-cluster.js";
import { ENTRY } from "../cluster/read-catalog.js";
import type { HostPortPB, RaftConfigPB, RowSetDataPB } from "../generated/decode.js";
import type { OpenFolder } from "../load/new-blocks.js";
import { CatalogRows } from "./catalog-tablet.js";
import { type Descriptions, NewServer } from "./new-server.js";
import { type PlannedTable, type PlannedTablet, planRestore } from "./restore-plan.js";
import { EMPTY_TABLET, type TabletContent, wholeReplica } from "./whole-replica.js";

/** Options of `restoreCluster`. */
export interface RestoreOptions {
  /** Opens a folder of the new directories by its path in them, and creates it if it is missing. */
  readonly openFolder: OpenFolder;
  /** `HOST:PORT` of each tablet server. Tablets get a replica on each of them, at most three. Default: `127.0.0.1:7050`. */
  readonly addresses?: readonly string[] | undefined;
  /** Names or IDs of the tables to restore. Default: all. */
  readonly tables?: readonly string[] | undefined;
  /** Whether tablets that have no replica are created without rows. Default `false`: an error. */
  readonly emptyMissing?: boolean | undefined;
  /** Block size of the file system of the new directories, in bytes. Default 4096. */
  readonly blockSize?: number | undefined;
  /** Called after each tablet. */
  readonly onProgress?: ((done: number, total: number) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of `restoreCluster`. */
export interface RestoredCluster {
  /** The cluster's ID; `undefined` if there was no master: the new one makes an ID. */
  readonly clusterId: string | undefined;
  /** The master, then the tablet servers. */
  readonly servers: readonly RestoredServer[];
  readonly tables: readonly RestoredTable[];
  /** Timestamp of the last change. The clock of the new servers must be later. */
  readonly lastWrite: bigint;
}

/** A new server. */
export interface RestoredServer {
  /** Folder in the new directories: `master`, `ts0`, `ts1` and so on. */
  readonly folder: string;
  readonly uuid: string;
  /** As its Raft configurations have it; `undefined` for the master. */
  readonly address: string | undefined;
}

/** A restored table. */
export interface RestoredTable {
  readonly id: string;
  readonly name: string;
  readonly replicas: number;
  readonly isSoftDeleted: boolean;
  readonly tablets: readonly RestoredTablet[];
  /** Why a tablet on the disks is not restored. */
  readonly notes: readonly string[];
}

/** A restored tablet. */
export interface RestoredTablet {
  readonly id: string;
  /** UUID of the server whose replica was copied; `undefined` if the tablet is new and empty. */
  readonly server: string | undefined;
  readonly rowSets: number;
  /** Rows of the latest snapshot. */
  readonly rows: number;
  /** Row operations that only logs had, now in row sets. */
  readonly flushed: number;
  /** What is not restored, and why. */
  readonly notes: readonly string[];
}

const DEFAULT_ADDRESS = "127.0.0.1:7050";
const DEFAULT_BLOCK_SIZE = 4096;
const MAX_REPLICAS = 3;
const VOTER = 1;
const NO_OPERATION = -1n;
const READY = 1;
/** Numbers of `SysTablesEntryPB.State` and `SysTabletsEntryPB.State`. */
const SOFT_DELETED = 5;
const RUNNING = 2;

/** As `on-demand.ts` says. */
export async function restoreCluster(
  cluster: KuduCluster,
  options: RestoreOptions,
): Promise<RestoredCluster> {
  const { addresses = [DEFAULT_ADDRESS], tables, onProgress, signal } = options;
  const hosts = addresses.map(hostPort);
  if (hosts.length === 0 || new Set(addresses).size < hosts.length) {
    throw invalidArgument("addresses must be one or more, each of them different", { field: "addresses" });
  }
  const plan = await planRestore(cluster, tables);
  const total = requireReplicas(plan.tables, options);
  const descriptions = await descriptionsIn(cluster);
  const { openFolder, blockSize = DEFAULT_BLOCK_SIZE } = options;
  const newServer = (root: string): NewServer => new NewServer({ openFolder, root, descriptions, blockSize });
  const master = newServer("master");
  const tabletServers = hosts.map((host, i) => ({ host, folder: `ts${i}`, server: newServer(`ts${i}`) }));
  try {
    const work = new Restoration(tabletServers, options);
    const restored: RestoredTable[] = [];
    let done = 0;
    for (const table of plan.tables) {
      const tablets: RestoredTablet[] = [];
      for (const tablet of table.tablets) {
        signal?.throwIfAborted();
        tablets.push(await work.restore(table, tablet));
        onProgress?.(++done, total);
      }
      restored.push(work.addTable(table, tablets));
    }
    const { clusterId, hivePosition } = plan;
    if (clusterId !== undefined) {
      work.catalog.addClusterId(clusterId);
    }
    if (hivePosition !== undefined) {
      work.catalog.add(ENTRY.hiveMetastorePosition, hivePosition.id, hivePosition.message);
    }
    await work.catalog.write(master, work.lastWrite);
    await master.finish();
    for (const { server } of tabletServers) {
      await server.finish();
    }
    return {
      clusterId,
      servers: [
        { folder: "master", uuid: master.uuid, address: undefined },
        ...tabletServers.map(({ server, folder }, i) => ({
          folder,
          uuid: server.uuid,
          address: addresses[i],
        })),
      ],
      tables: restored,
      lastWrite: work.lastWrite,
    };
  } catch (error) {
    await Promise.allSettled(
      [master, ...tabletServers.map(({ server }) => server)].map((one) => one.abort()),
    );
    throw error;
  }
}

interface TabletServer {
  readonly host: HostPortPB;
  readonly server: NewServer;
}

/** Writes tablets, and collects their entries in the catalog. */
class Restoration {
  readonly catalog = new CatalogRows();
  lastWrite = 1n;
  private readonly servers: readonly TabletServer[];
  private readonly emptyMissing: boolean;
  private readonly arena = new MemoryArena();
  private count = 0;

  constructor(servers: readonly TabletServer[], { emptyMissing = false }: RestoreOptions) {
    this.servers = servers;
    this.emptyMissing = emptyMissing;
  }

  get replicas(): number {
    return Math.min(this.servers.length, MAX_REPLICAS);
  }

  async restore(table: PlannedTable, tablet: PlannedTablet): Promise<RestoredTablet> {
    const { source } = tablet;
    const { entry } = table;
    const isEmpty = isUnborn(source) || (this.emptyMissing && source.readable.length === 0);
    const content = isEmpty ? EMPTY_TABLET : await wholeReplica(source, schemaOf(entry.schema), this.arena);
    const operation = {
      id: {
        term: maximum(content.lastOperation.term, 1n),
        index: maximum(content.lastOperation.index, 1n) + 1n,
      },
      timestamp: content.lastWrite + 1n,
    };
    this.lastWrite = maximum(this.lastWrite, content.lastWrite);
    const members = this.nextServers();
    const config: RaftConfigPB = {
      opidIndex: NO_OPERATION,
      peers: members.map(({ host, server }) => ({
        permanentUuid: server.uuid,
        memberType: VOTER,
        lastKnownAddr: host,
      })),
    };
    for (const { server } of members) {
      const rowsets = await rowSetsOf(content, server);
      await server.writeTablet({
        superblock: superblockOf(table, tablet, content, rowsets),
        config,
        operation,
      });
    }
    this.catalog.addTablet(source.id, {
      consensusState: { currentTerm: operation.id.term, committedConfig: config },
      state: entry.state === SOFT_DELETED ? SOFT_DELETED : RUNNING,
      tableId: table.id,
      partition: tablet.partition,
      dimensionLabel: tablet.dimensionLabel,
      deleteTimestamp: entry.deleteTimestamp,
    });
    const { server, rowSets, flushed, notes } = content;
    const rows = rowSets.reduce((sum, { liveRows }) => sum + liveRows, 0);
    return { id: source.id, server, rowSets: rowSets.length, rows, flushed, notes };
  }

  addTable({ id, entry, notes }: PlannedTable, tablets: readonly RestoredTablet[]): RestoredTable {
    const { replicas } = this;
    this.catalog.addTable(id, { ...entry, numReplicas: replicas });
    return { id, name: entry.name, replicas, isSoftDeleted: entry.state === SOFT_DELETED, tablets, notes };
  }

  /** The servers of the next tablet, so that all get equally many. */
  private nextServers(): TabletServer[] {
    const { servers, replicas } = this;
    const first = this.count++;
    return Array.from({ length: replicas }, (_, i) => servers[(first + i) % servers.length]).filter(
      (server) => server !== undefined,
    );
  }
}

async function rowSetsOf({ rowSets, changedAt }: TabletContent, server: NewServer): Promise<RowSetDataPB[]> {
  const messages: RowSetDataPB[] = [];
  for (const rowSet of rowSets) {
    messages.push(await server.copyRowSet(rowSet, changedAt));
  }
  return messages;
}

function superblockOf(
  { id: tableId, entry }: PlannedTable,
  { source, partition, dimensionLabel }: PlannedTablet,
  { lastDurableMrsId }: TabletContent,
  rowsets: RowSetDataPB[],
) {
  const { name: tableName, schema, version: schemaVersion, partitionSchema, extraConfig } = entry;
  return {
    tableId,
    tabletId: source.id,
    lastDurableMrsId,
    rowsets,
    tableName,
    schema,
    schemaVersion,
    tabletDataState: READY,
    partition,
    partitionSchema,
    supportsLiveRowCount: true,
    extraConfig,
    dimensionLabel,
  };
}

/** @returns the number of tablets */
function requireReplicas(tables: readonly PlannedTable[], { emptyMissing = false }: RestoreOptions): number {
  const tablets = tables.flatMap((table) => table.tablets.map(({ source }) => ({ table, source })));
  const missing = tablets.filter(({ source }) => source.readable.length === 0 && !isUnborn(source));
  const [first] = missing;
  if (first !== undefined && !emptyMissing) {
    const names = missing.map(
      ({ table, source }) => `${source.id} of table ${JSON.stringify(table.entry.name)}`,
    );
    throw noReplica(names.join(", "), "no readable replica is in the directories");
  }
  return tablets.length;
}

/** Whether the master had not yet created it on any server. */
function isUnborn({ catalog, replicas }: ClusterTablet): boolean {
  return replicas.length === 0 && (catalog?.state === "preparing" || catalog?.state === "creating");
}

/** The description of consensus metadata is that of superblocks if there is no such file: only `kudu pbc` reads it. */
async function descriptionsIn(cluster: KuduCluster): Promise<Descriptions> {
  let superblock: Uint8Array | undefined;
  for (const dir of cluster.servers) {
    for (const { id } of await dir.tablets()) {
      superblock ??= (await dir.metadataFile("tablet-meta", id))?.description;
      const consensus = (await dir.metadataFile("consensus-meta", id))?.description;
      if (superblock !== undefined && consensus !== undefined) {
        return { superblock, consensus };
      }
    }
  }
  if (superblock === undefined) {
    throw new CFileError("E_NOT_FOUND", "no tablet in the directories", { field: "tablet-meta" });
  }
  return { superblock, consensus: superblock };
}

/** @throws {CFileError} `E_INVALID_ARGUMENT` unless it is `HOST:PORT` */
function hostPort(address: string): HostPortPB {
  const [, host = "", digits = ""] = /^\[?([^[\]\s]+?)\]?:(\d{1,5})$/.exec(address) ?? [];
  const port = Number(digits);
  if (host === "" || port < 1 || port > 65535) {
    const reason = `invalid address: ${JSON.stringify(address)} (must be HOST:PORT)`;
    throw invalidArgument(reason, { field: "addresses" });
  }
  return { host, port };
}

function maximum(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
