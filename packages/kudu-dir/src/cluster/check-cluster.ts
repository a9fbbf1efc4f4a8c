/** Checks on the disks what `kudu cluster ksck` checks in a live cluster (docs/spec/kudu-cluster.md#4-which-writes-count). */
import { isDamage } from "@cfile/bytes";
import type { Partition } from "../catalog/partition-message.js";
import type { Superblock } from "../catalog/superblock.js";
import { whyUnreadable } from "./cluster-table.js";
import type { NamedTable } from "./cluster-tablets.js";
import type { ClusterTablet, KuduCluster } from "./kudu-cluster.js";
import { missingBuckets, rangesBetween } from "./partition-gaps.js";
import { CATALOG_TABLET } from "./read-catalog.js";
import { compareOperations, type Replica } from "./replica.js";
import { divergentReplicas, replicaDigests, type TabletDigests } from "./replica-digests.js";

/** Kind of a problem that {@link checkCluster} reports. */
export type ClusterProblemKind =
  | "no replica"
  | "under-replicated"
  | "replica behind"
  | "replica damaged"
  | "replicas differ"
  | "replica not ready"
  | "configurations differ"
  | "terms differ"
  | "writes unconfirmed"
  | "writes missing"
  | "gap in partitions"
  | "catalog damaged"
  | "not in the catalog";

/** A problem of a table or tablet. */
export interface ClusterProblem {
  readonly kind: ClusterProblemKind;
  readonly table: string;
  readonly tablet: string | undefined;
  /** UUID of the server, for a problem of one replica. */
  readonly server: string | undefined;
  readonly reason: string;
  /** The partition without a tablet or replica, with the schemas that describe its keys. */
  readonly partition?: DescribedPartition | undefined;
}

/** A partition, and the schema that its keys are encoded with. */
export type DescribedPartition = Pick<Superblock, "partition" | "partitionSchema" | "schema">;

/** Options of {@link checkCluster}. */
export interface ClusterCheckOptions {
  /** Whether to read all rows of all replicas and compare them. Default `false`. */
  readonly compareRows?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The digests of a tablet's replicas. */
export interface ComparedTablet extends TabletDigests {
  readonly table: string;
  readonly tablet: string;
}

/** The result of {@link checkCluster}. */
export interface ClusterReport {
  readonly ok: boolean;
  readonly servers: number;
  readonly tables: number;
  readonly tablets: number;
  readonly replicas: number;
  readonly problems: readonly ClusterProblem[];
  /** For each tablet with a readable replica, if rows are compared. */
  readonly compared: readonly ComparedTablet[];
}

/**
 * Checks tables, tablets and replicas. Reads catalogs, superblocks, consensus metadata and logs; rows only with `compareRows`.
 *
 * @throws {CFileError} as `KuduCluster.replicaSets`; the signal's reason when aborted
 */
export async function checkCluster(
  cluster: KuduCluster,
  { compareRows = false, signal }: ClusterCheckOptions = {},
): Promise<ClusterReport> {
  const names = await cluster.tableNames();
  const { catalog, problem } = await cluster.usableCatalog();
  const servers = new Set(cluster.servers.map(({ uuid }) => uuid));
  const tablets = await cluster.replicaSets();
  const masters = (await cluster.masters()).map(({ roots }) => roots.names[0]).join(", ");
  const tables = tableSchemas(names, tablets);
  const problems: ClusterProblem[] = [];
  const compared: ComparedTablet[] = [];
  if (problem !== undefined) {
    const reason = `${problem.message}; tables are taken from superblocks`;
    problems.push({
      kind: "catalog damaged",
      table: "sys.catalog",
      tablet: CATALOG_TABLET,
      server: undefined,
      reason,
    });
  }
  for (const tablet of tablets) {
    const table = names.get(tablet.tableId)?.name ?? tablet.tableId;
    const report = (kind: ClusterProblemKind, reason: string, server?: string): void => {
      const partition =
        kind === "no replica" ? describedPartition(tablet, tables.get(tablet.tableId)) : undefined;
      problems.push({ kind, table, tablet: tablet.id, server, reason, partition });
    };
    if (catalog !== undefined && tablet.catalog === undefined) {
      const holders = tablet.replicas.map(({ dir }) => dir.roots.names[0]).join(", ");
      const reason = `${holders} has the tablet, but the catalog of ${masters} does not list it; if that is the master of another cluster, leave its directories out`;
      report("not in the catalog", reason);
    }
    checkReplicas(tablet, servers, report);
    if (compareRows && tablet.readable.length > 0) {
      signal?.throwIfAborted();
      compared.push({ table, tablet: tablet.id, ...(await compareReplicas(tablet, report, signal)) });
    }
  }
  for (const [id, table] of tables) {
    const partitions = tablets.filter(({ tableId }) => tableId === id).map(({ partition }) => partition);
    const report = (partition: Partition, reason: string): void => {
      const described = { partition, partitionSchema: table.partitionSchema, schema: table.schema };
      const where = { table: table.name, tablet: undefined, server: undefined };
      problems.push({ kind: "gap in partitions", ...where, reason, partition: described });
    };
    for (const partition of missingBuckets(table.partitionSchema, partitions)) {
      report(partition, "no tablet has the partition");
    }
    // The catalog lists all tablets, and a table need not cover all keys.
    for (const partition of catalog === undefined ? rangesBetween(partitions) : []) {
      report(partition, "no tablet has the range; without a master it is unknown whether the table does");
    }
  }
  return {
    ok: problems.length === 0,
    servers: cluster.servers.length,
    tables: names.size,
    tablets: tablets.length,
    replicas: tablets.reduce((sum, { replicas }) => sum + replicas.length, 0),
    problems,
    compared,
  };
}

type Report = (kind: ClusterProblemKind, reason: string, server?: string) => void;

function checkReplicas(
  tablet: ClusterTablet,
  servers: ReadonlySet<string | undefined>,
  report: Report,
): void {
  const { replicas, readable, config, unconfirmed, possible, committed } = tablet;
  const voters = config?.peers.filter(({ isVoter }) => isVoter) ?? [];
  if (readable.length === 0) {
    report("no replica", whyUnreadable(tablet));
  }
  for (const { uuid } of voters) {
    if (!readable.some(({ server }) => server === uuid)) {
      const where = servers.has(uuid) ? "has no readable replica" : "is not among the directories";
      report("under-replicated", `voter on server ${uuid} ${where}`, uuid);
    }
  }
  for (const replica of replicas) {
    checkReplica(replica, tablet, report);
  }
  if (tablet.unseen.length > 0) {
    const last = tablet.lineage.at(-1);
    const since = last === undefined ? "" : ` after operation ${last.term}.${last.index}`;
    const reason = `committed writes${since} may be missing: the logs of servers ${tablet.unseen.join(", ")} are not here or damaged`;
    report("writes missing", reason);
  }
  if (unconfirmed.length + possible.length > 0) {
    const reason = `${unconfirmed.length} unconfirmed and ${possible.length} possible operations after operation ${committed}`;
    report("writes unconfirmed", reason);
  }
}

function checkReplica(replica: Replica, { config, longest, readable }: ClusterTablet, report: Report): void {
  const { server, tablet, consensus, lastOperation, problems } = replica;
  const isMember = config === undefined || config.peers.some(({ uuid }) => uuid === server);
  if (tablet.state !== "ready") {
    if (isMember) {
      report("replica not ready", `the replica is ${tablet.state}`, server);
    }
    return;
  }
  for (const problem of problems) {
    report("replica damaged", problem.message, server);
  }
  if (!isMember) {
    report(
      "configurations differ",
      "the server is not in the newest Raft configuration, but has a replica",
      server,
    );
  } else if (config !== undefined && consensus !== undefined && consensus.config.index < config.index) {
    const reason = `Raft configuration of operation ${consensus.config.index}, the newest is that of operation ${config.index}`;
    report("configurations differ", reason, server);
  }
  const term = readable.reduce((most, other) => maximum(most, other.consensus?.term ?? 0n), 0n);
  if (consensus !== undefined && consensus.term < term) {
    report("terms differ", `term ${consensus.term}, the newest is ${term}`, server);
  }
  const last = longest?.lastOperation;
  if (last !== undefined && compareOperations(lastOperation, last) < 0) {
    const behind = last.index - (lastOperation?.index ?? 0n);
    report("replica behind", `${behind} operations behind operation ${last.term}.${last.index}`, server);
  }
}

function maximum(left: bigint, right: bigint): bigint {
  return left > right ? left : right;
}

async function compareReplicas(
  tablet: ClusterTablet,
  report: Report,
  signal: AbortSignal | undefined,
): Promise<TabletDigests> {
  const digests = await replicaDigests(tablet, signal);
  for (const { server, error } of digests.replicas) {
    const isKnown = tablet.replicas.some((one) => one.server === server && one.problems.length > 0);
    if (isDamage(error) && !isKnown) {
      report("replica damaged", error.message, server);
    }
  }
  for (const { server, reason } of divergentReplicas(digests)) {
    report("replicas differ", reason, server);
  }
  return digests;
}

type TableSchemas = Pick<Superblock, "partitionSchema" | "schema"> & { readonly name: string };

/** The schema of each table: that of the catalog, or else the newest one among the replicas. */
function tableSchemas(
  names: ReadonlyMap<string, NamedTable>,
  tablets: readonly ClusterTablet[],
): ReadonlyMap<string, TableSchemas> {
  const found = new Map<string, TableSchemas>();
  for (const [id, { name, entry }] of names) {
    const newest = tablets
      .filter(({ tableId }) => tableId === id)
      .flatMap(({ replicas }) => replicas.map(({ tablet }) => tablet.superblock))
      .reduce<Superblock | undefined>(
        (left, right) => (left && left.schemaVersion >= right.schemaVersion ? left : right),
        undefined,
      );
    const known = entry ?? newest;
    if (known !== undefined) {
      found.set(id, { name, partitionSchema: known.partitionSchema, schema: known.schema });
    }
  }
  return found;
}

function describedPartition(
  { partition }: ClusterTablet,
  table: TableSchemas | undefined,
): DescribedPartition | undefined {
  return table && { partition, partitionSchema: table.partitionSchema, schema: table.schema };
}
