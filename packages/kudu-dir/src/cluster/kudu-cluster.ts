/**
 * Several servers of a Kudu cluster, opened from their directories (docs/spec/kudu-cluster.md): tablet servers and masters, in any
 * number. For each tablet the best replica is read; writes that only other replicas logged are added to it.
 */
import { CFileError, invalidArgument, isCFileError, isDamage } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import { mapAtOnce } from "../blocks/at-once.js";
import type { BlockPlace } from "../blocks/block-stores.js";
import { placeName } from "../blocks/file-pool.js";
import { hasNumberedRows } from "../catalog/schema-message.js";
import { requiredServers } from "../catalog/server-roots.js";
import type { Superblock } from "../catalog/superblock.js";
import type { Quorum } from "../log/log-replay.js";
import { KuduDir, type KuduDirOptions } from "../read/kudu-dir.js";
import type { MissingTablet } from "../read/kudu-table.js";
import type { KuduTablet } from "../read/kudu-tablet.js";
import { type KuduDirInput, treesOf } from "../read/open-kudu-dir.js";
import { Remembered } from "../read/remembered.js";
import { ClusterReplicas } from "./cluster-replicas.js";
import { ClusterTable, noReplica, tabletsOfBuckets, whyUnreadable } from "./cluster-table.js";
import { type ListedTablet, type NamedTable, namesOfTables, tabletsOf } from "./cluster-tablets.js";
import { CATALOG_TABLET, type Catalog, readCatalog } from "./read-catalog.js";
import type { Replica } from "./replica.js";
import { type TabletWrites, tabletWrites, type WriteScope } from "./replica-choice.js";
import { ReplicatedTablet } from "./replicated-tablet.js";

/** Options of {@link openKuduCluster}. */
export interface KuduClusterOptions extends KuduDirOptions {
  /** The writes to read. Default `possible`. */
  readonly writes?: WriteScope | undefined;
}

/** Number of tablets whose logs are in memory at the same time. */
const TABLETS_AT_ONCE = 4;

/** A tablet of a cluster with all its replicas. */
export interface ClusterTablet extends ListedTablet, TabletWrites {
  /** All replicas on the disks, including tombstones. */
  readonly replicas: readonly Replica[];
  /** Errors of superblocks that cannot be read. */
  readonly damaged: readonly CFileError[];
}

/** The catalog if it can be read. */
export interface UsableCatalog {
  readonly catalog: Catalog | undefined;
  readonly problem: CFileError | undefined;
}

/**
 * Opens the directories of any number of servers: roots, folders that hold the roots of one server, or one folder for all.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no directory of a Kudu server; `E_INVALID_ARGUMENT`: an invalid key, or two copies of a server's
 *   directory; `E_IO`, `E_UNSUPPORTED`: as `diskTree`
 */
export async function openKuduCluster(
  input: KuduDirInput | readonly KuduDirInput[],
  options: KuduClusterOptions = {},
): Promise<KuduCluster> {
  const servers = await requiredServers(await treesOf(input));
  const { copy } = servers.find((server) => server.copy !== undefined) ?? {};
  if (copy !== undefined) {
    // Two servers with one identity may have diverged.
    throw copy;
  }
  const { writes, ...dirOptions } = options;
  return new KuduCluster(
    (quorumOf) =>
      servers.map((roots) => {
        const dir: KuduDir = new KuduDir(roots, dirOptions, (tablet) => quorumOf(dir, tablet));
        return dir;
      }),
    writes ?? "possible",
  );
}

/** The servers of a Kudu cluster: its catalog, tables, tablets and replicas. */
export class KuduCluster {
  readonly servers: readonly KuduDir[];
  private readonly scope: WriteScope;
  private readonly replicas: ClusterReplicas;
  private readonly read = new Remembered<Catalog | undefined>();
  private readonly usable = new Remembered<UsableCatalog>();
  private readonly names = new Remembered<ReadonlyMap<string, NamedTable>>();
  private readonly known = new Remembered<readonly ListedTablet[]>();

  /** @internal */
  constructor(
    open: (quorumOf: (dir: KuduDir, tablet: string) => Promise<Quorum | undefined>) => readonly KuduDir[],
    scope: WriteScope,
  ) {
    this.scope = scope;
    this.servers = open((dir, tablet) => this.replicas.quorum(dir, tablet));
    this.replicas = new ClusterReplicas(this.servers, scope);
  }

  /**
   * The catalog of the masters; `undefined` if no master is here.
   *
   * @throws {CFileError} as reading a table; `E_CORRUPT` naming the entry
   */
  catalog(): Promise<Catalog | undefined> {
    return this.read.get(async () => {
      const tablet = await this.catalogTablet();
      return tablet && readCatalog(tablet);
    });
  }

  /** The servers that have a replica of the catalog. */
  async masters(): Promise<readonly KuduDir[]> {
    return ((await this.replicas.byTablet()).get(CATALOG_TABLET) ?? []).map(({ dir }) => dir);
  }

  /** The catalog, or the reason why it cannot be read. Tables are then known from superblocks, as without a master. */
  usableCatalog(): Promise<UsableCatalog> {
    return this.usable.get(async () => {
      try {
        return { catalog: await this.catalog(), problem: undefined };
      } catch (error) {
        if (!isDamage(error) && !isCFileError(error, "E_NOT_FOUND")) {
          throw error;
        }
        return { catalog: undefined, problem: error };
      }
    });
  }

  /**
   * The replica of the catalog that is read; `undefined` if no master is here.
   *
   * @internal
   */
  async catalogTablet(): Promise<KuduTablet | undefined> {
    return replicated(tabletWrites(await this.replicas.of(CATALOG_TABLET)), this.scope);
  }

  /**
   * The replicas of each tablet that the catalog expects or a disk has, except those of dropped tables and the catalog itself.
   *
   * @throws {CFileError} `E_IO` if a folder cannot be read; as {@link catalog}
   */
  async replicaSets(tableId?: string): Promise<readonly ClusterTablet[]> {
    const all = await this.listed();
    return this.withReplicas(
      tableId === undefined ? all : all.filter((tablet) => tablet.tableId === tableId),
    );
  }

  /**
   * All tables with rows: those of the catalog that are not dropped, including soft-deleted tables, and those that only disks have.
   *
   * @throws {CFileError} as {@link replicaSets}
   */
  async tables(): Promise<readonly ClusterTable[]> {
    const names = await this.tableNames();
    const tables = [];
    for (const id of names.keys()) {
      tables.push(await this.tableOf(id));
    }
    return tables;
  }

  /** The ID and name of each table, with its catalog entry; ordered by name. */
  tableNames(): Promise<ReadonlyMap<string, NamedTable>> {
    return this.names.get(async () => {
      const { catalog } = await this.usableCatalog();
      return namesOfTables(catalog, await this.replicas.byTablet());
    });
  }

  /**
   * A table by its name or ID.
   *
   * @throws {CFileError} `E_NOT_FOUND` if there is no such table, `E_INVALID_ARGUMENT` if several have that name
   */
  async table(nameOrId: string): Promise<ClusterTable> {
    const names = await this.tableNames();
    const found = [...names].filter(([id, { name }]) => id === nameOrId || name === nameOrId);
    const [only, ...others] = found;
    if (only === undefined) {
      const known = [...names.values()].map(({ name }) => name).join(", ");
      const reason = `no table ${JSON.stringify(nameOrId)}; tables: ${known}`;
      throw new CFileError("E_NOT_FOUND", reason, { field: "table" });
    }
    if (others.length > 0) {
      const ids = found.map(([id]) => id).join(", ");
      const reason = `several tables are named ${JSON.stringify(nameOrId)}; use an ID: ${ids}`;
      throw invalidArgument(reason, { field: "table" });
    }
    return this.tableOf(only[0]);
  }

  /**
   * All tablets, each as the replica that is read, ordered by table name and partition.
   *
   * @throws {CFileError} as {@link replicaSets}
   */
  async tablets(): Promise<readonly KuduTablet[]> {
    return (await this.tables()).flatMap(({ tablets }) => tablets);
  }

  /**
   * A tablet by its ID, or the only tablet of a table, as the replica that is read.
   *
   * @throws {CFileError} `E_NOT_FOUND` if there is no such tablet or no replica that can be read; `E_INVALID_ARGUMENT` if the table has
   *   several
   */
  async tablet(idOrTable: string): Promise<KuduTablet> {
    const listed = (await this.listed()).find(({ id }) => id === idOrTable);
    const table = await (listed === undefined
      ? this.table(idOrTable)
      : this.tableOf(listed.tableId, [listed]));
    const absent = table.missing.find(({ id }) => listed === undefined || id === listed.id);
    const { tablets: found } = table;
    const [only, ...others] = found;
    if (only === undefined && absent !== undefined) {
      throw absent.error;
    }
    if (only === undefined || others.length > 0) {
      const ids = found.map(({ id }) => id).join(", ");
      const reason = `table ${JSON.stringify(table.name)} has ${found.length} tablets; choose one of ${ids}`;
      throw invalidArgument(reason, { field: "tablet" });
    }
    return only;
  }

  /**
   * The current superblock on disk of the replica that is read.
   *
   * @throws {CFileError} as `KuduCluster.tablet` and `KuduDir.superblock`
   */
  async superblock(tablet: string): Promise<Superblock> {
    const listed = (await this.listed()).find(({ id }) => id === tablet);
    const [best] = writesOf(listed, await this.replicas.of(tablet)).readable;
    if (best === undefined) {
      throw noReplica(tablet, "no replica is in the directories");
    }
    return best.dir.superblock(tablet);
  }

  /**
   * The bytes of a block whose location is known, from the server that has it.
   *
   * @throws {CFileError} as `KuduDir.blockAt`
   */
  blockAt(place: BlockPlace): ByteSource {
    const owner = this.servers.find(({ roots }) =>
      roots.dataFolders.some((folder) => place.path.startsWith(`${placeName(folder)}/`)),
    );
    if (owner === undefined) {
      const reason = "the file is in none of the data directories";
      throw new CFileError("E_BLOCK_MISSING", reason, { path: place.path });
    }
    return owner.blockAt(place);
  }

  /** Damage of roots, superblocks, containers and the catalog of all servers; reads all of them. */
  async problems(): Promise<readonly CFileError[]> {
    const { problem } = await this.usableCatalog();
    const found = (await Promise.all(this.servers.map((dir) => dir.problems()))).flat();
    return problem === undefined ? found : [problem, ...found];
  }

  /** Closes all files. */
  async close(): Promise<void> {
    await Promise.all(this.servers.map((dir) => dir.close()));
  }

  /** Calls `close` at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private listed(): Promise<readonly ListedTablet[]> {
    return this.known.get(async () => {
      const { catalog } = await this.usableCatalog();
      return tabletsOf(catalog, await this.replicas.byTablet());
    });
  }

  private async withReplicas(listed: readonly ListedTablet[]): Promise<readonly ClusterTablet[]> {
    const damaged = await this.replicas.damagedSuperblocks();
    const read = async (tablet: ListedTablet): Promise<ClusterTablet> => {
      const replicas = await this.replicas.of(tablet.id);
      return { ...tablet, replicas, damaged: damaged.get(tablet.id) ?? [], ...writesOf(tablet, replicas) };
    };
    return mapAtOnce(listed, read, TABLETS_AT_ONCE);
  }

  /** @param chosen the tablets to read; default: all of the table */
  private async tableOf(id: string, chosen?: readonly ListedTablet[]): Promise<ClusterTable> {
    const known = (await this.tableNames()).get(id);
    const tablets: KuduTablet[] = [];
    const missing: MissingTablet[] = [];
    const listed = await (chosen === undefined ? this.replicaSets(id) : this.withReplicas(chosen));
    for (const tablet of listed) {
      const best = replicated(tablet, this.scope);
      if (best === undefined) {
        missing.push({
          id: tablet.id,
          partition: tablet.partition,
          error: noReplica(tablet.id, whyUnreadable(tablet)),
        });
      } else {
        tablets.push(best);
      }
    }
    const { catalog, problem } = await this.usableCatalog();
    if (problem !== undefined && chosen === undefined) {
      const partitions = listed.map(({ partition }) => partition);
      missing.push(...tabletsOfBuckets(id, tablets[0]?.superblock.partitionSchema, partitions, problem));
    }
    const copies = await this.replicas.byTablet();
    for (const [tablet, [error]] of await this.replicas.damagedSuperblocks()) {
      if (catalog === undefined && error !== undefined && !copies.has(tablet) && tablet !== CATALOG_TABLET) {
        const reason = `its superblock is damaged, and without a master its table is unknown: ${error.message}`;
        missing.push({ id: tablet, partition: undefined, error: noReplica(tablet, reason) });
      }
    }
    return new ClusterTable({ name: known?.name ?? id, id, catalog: known?.entry, tablets, missing });
  }
}

/** Kudu can number rows differently on a restarted replica; clients read the numbers of the leader. */
function writesOf(tablet: ListedTablet | undefined, replicas: readonly Replica[]): TabletWrites {
  const isNumbered = replicas.some(({ tablet }) => hasNumberedRows(tablet.schema));
  return tabletWrites(replicas, isNumbered ? tablet?.catalog?.leader : undefined);
}

/** The tablet with all its replicas; `undefined` if no replica can be read. */
function replicated(writes: TabletWrites, scope: WriteScope): ReplicatedTablet | undefined {
  const [best, ...others] = writes.readable;
  return best === undefined
    ? undefined
    : new ReplicatedTablet({ ...writes, readable: [best, ...others] }, scope);
}
