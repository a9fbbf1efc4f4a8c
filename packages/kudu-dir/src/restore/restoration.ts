/** Writes the tablets of a restored cluster, and collects their entries in its catalog. */
import { findingOf, MemoryArena } from "@cfile/bytes";
import { schemaOf } from "../catalog/schema-message.js";
import type { KuduCluster } from "../cluster/kudu-cluster.js";
import type { HostPortPB, RaftConfigPB, RowSetDataPB } from "../generated/decode.js";
import { CatalogRows } from "./catalog-tablet.js";
import type { NewServer } from "./new-server.js";
import { recoveredRows } from "./recovered-rows.js";
import type { RestoredTable, RestoredTablet, RestoreOptions } from "./restore-options.js";
import { describedPartition, isUnborn, type PlannedTable, type PlannedTablet } from "./restore-plan.js";
import { EMPTY_TABLET, type TabletContent, wholeReplica } from "./whole-replica.js";

const MAX_REPLICAS = 3;
const VOTER = 1;
const NO_OPERATION = -1n;
const READY = 1;
/** Numbers of `SysTablesEntryPB.State` and `SysTabletsEntryPB.State`. */
const SOFT_DELETED = 5;
const RUNNING = 2;

interface TabletServer {
  readonly host: HostPortPB;
  readonly server: NewServer;
}

/** A replica that is being written. */
interface TabletCopy {
  readonly server: NewServer;
  /** Number of blocks before its own. */
  readonly start: number;
  readonly rowSets: RowSetDataPB[];
}

export class Restoration {
  readonly catalog = new CatalogRows();
  lastWrite = 1n;
  private readonly cluster: KuduCluster;
  private readonly servers: readonly TabletServer[];
  private readonly emptyMissing: boolean;
  private readonly recover: boolean;
  private readonly keepReplication: boolean;
  private readonly arena = new MemoryArena();
  private count = 0;

  constructor(
    cluster: KuduCluster,
    servers: readonly TabletServer[],
    { emptyMissing = false, recover = false, keepReplication = false }: RestoreOptions,
  ) {
    this.cluster = cluster;
    this.servers = servers;
    this.emptyMissing = emptyMissing;
    this.recover = recover;
    this.keepReplication = keepReplication;
  }

  private replicasOf({ entry }: PlannedTable): number {
    return Math.min(this.servers.length, this.keepReplication ? entry.numReplicas : MAX_REPLICAS);
  }

  async restore(table: PlannedTable, tablet: PlannedTablet): Promise<RestoredTablet> {
    const { source } = tablet;
    const members = this.nextServers(this.replicasOf(table));
    const write = (content: TabletContent): Promise<RestoredTablet> =>
      this.write(table, tablet, members, content);
    if (isUnborn(source) || (this.emptyMissing && source.readable.length === 0)) {
      return write(EMPTY_TABLET);
    }
    const schema = schemaOf(table.entry.schema);
    try {
      return await wholeReplica(source, schema, this.arena, write);
    } catch (error) {
      if (!this.recover) {
        throw error;
      }
      // A failing source does not count as damage.
      findingOf(error);
      return write(await recoveredRows(this.cluster, source, schema));
    }
  }

  private async write(
    table: PlannedTable,
    tablet: PlannedTablet,
    members: readonly TabletServer[],
    content: TabletContent,
  ): Promise<RestoredTablet> {
    const { source } = tablet;
    const { entry } = table;
    const copies: TabletCopy[] = [];
    for (const { server } of members) {
      copies.push({ server, start: await server.beginTablet(), rowSets: [] });
    }
    let rows = 0;
    let rowSets = 0;
    try {
      for await (const rowSet of content.rowSets) {
        rows += rowSet.liveRows;
        rowSets++;
        for (const copy of copies) {
          copy.rowSets.push(await copy.server.copyRowSet(rowSet, content.changedAt));
        }
      }
    } catch (error) {
      for (const { server, start } of copies) {
        server.dropBlocksFrom(start);
      }
      throw error;
    }
    const operation = {
      id: {
        term: maximum(content.lastOperation.term, 1n),
        index: maximum(content.lastOperation.index, 1n) + 1n,
      },
      timestamp: content.lastWrite + 1n,
    };
    this.lastWrite = maximum(this.lastWrite, content.lastWrite);
    const config: RaftConfigPB = {
      opidIndex: NO_OPERATION,
      peers: members.map(({ host, server }) => ({
        permanentUuid: server.uuid,
        memberType: VOTER,
        lastKnownAddr: host,
      })),
    };
    for (const copy of copies) {
      const superblock = superblockOf(table, tablet, content, copy.rowSets);
      await copy.server.writeTablet({ superblock, config, operation });
    }
    this.catalog.addTablet(source.id, {
      consensusState: { currentTerm: operation.id.term, committedConfig: config },
      state: entry.state === SOFT_DELETED ? SOFT_DELETED : RUNNING,
      tableId: table.id,
      partition: tablet.partition,
      dimensionLabel: tablet.dimensionLabel,
      deleteTimestamp: entry.deleteTimestamp,
    });
    const { server, flushed, notes } = content;
    return {
      id: source.id,
      partition: describedPartition(table, source),
      server,
      rowSets,
      rows,
      flushed,
      notes,
    };
  }

  addTable(table: PlannedTable, tablets: readonly RestoredTablet[]): RestoredTable {
    const { id, entry, gaps, unknown, notes } = table;
    const replicas = this.replicasOf(table);
    this.catalog.addTable(id, { ...entry, numReplicas: replicas });
    return {
      id,
      name: entry.name,
      replicas,
      isSoftDeleted: entry.state === SOFT_DELETED,
      tablets,
      gaps,
      unknown,
      notes,
    };
  }

  /** The servers of the next tablet, chosen so that all get the same number of replicas. */
  private nextServers(replicas: number): TabletServer[] {
    const { servers } = this;
    const first = this.count++;
    return Array.from({ length: replicas }, (_, i) => servers[(first + i) % servers.length]).filter(
      (server) => server !== undefined,
    );
  }
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

function maximum(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}
