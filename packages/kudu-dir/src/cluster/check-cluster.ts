/** What `kudu cluster ksck` checks in a live cluster, checked on the disks (docs/spec/kudu-cluster.md#4-which-writes-count). */
import { toHex } from "@cfile/bytes";
import { hashOfRange, rangeStart } from "../catalog/partition-message.js";
import { whyUnreadable } from "./cluster-table.js";
import type { ClusterTablet, KuduCluster } from "./kudu-cluster.js";
import { CATALOG_TABLET } from "./read-catalog.js";
import { compareOperations, type Replica } from "./replica.js";

/** Kind of a problem that {@link checkCluster} reports. */
export type ClusterProblemKind =
  | "no replica"
  | "under-replicated"
  | "replica behind"
  | "replica damaged"
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
}

/** The result of {@link checkCluster}. */
export interface ClusterReport {
  readonly ok: boolean;
  readonly servers: number;
  readonly tables: number;
  readonly tablets: number;
  readonly replicas: number;
  readonly problems: readonly ClusterProblem[];
}

/**
 * Checks tables, tablets and replicas; reads catalogs, superblocks, consensus metadata and logs, but no rows.
 *
 * @throws {CFileError} as `KuduCluster.replicaSets`
 */
export async function checkCluster(cluster: KuduCluster): Promise<ClusterReport> {
  const names = await cluster.tableNames();
  const { catalog, problem } = await cluster.usableCatalog();
  const servers = new Set(cluster.servers.map(({ uuid }) => uuid ?? ""));
  const tablets = await cluster.replicaSets();
  const masters = (await cluster.masters()).map(({ roots }) => roots.names[0]).join(", ");
  const problems: ClusterProblem[] = [];
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
      problems.push({ kind, table, tablet: tablet.id, server, reason });
    };
    if (catalog !== undefined && tablet.catalog === undefined) {
      const holders = tablet.replicas.map(({ dir }) => dir.roots.names[0]).join(", ");
      const reason = `${holders} has the tablet, but the catalog of ${masters} does not list it; if that is the master of another cluster, leave its directories out`;
      report("not in the catalog", reason);
    }
    checkReplicas(tablet, servers, report);
  }
  for (const [id, { name }] of names) {
    for (const reason of partitionGaps(tablets.filter(({ tableId }) => tableId === id))) {
      problems.push({ kind: "gap in partitions", table: name, tablet: undefined, server: undefined, reason });
    }
  }
  return {
    ok: problems.length === 0,
    servers: servers.size,
    tables: names.size,
    tablets: tablets.length,
    replicas: tablets.reduce((sum, { replicas }) => sum + replicas.length, 0),
    problems,
  };
}

type Report = (kind: ClusterProblemKind, reason: string, server?: string) => void;

function checkReplicas(tablet: ClusterTablet, servers: ReadonlySet<string>, report: Report): void {
  const { replicas, readable, config, longest, unconfirmed, possible } = tablet;
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
    const reason = `${unconfirmed.length} unconfirmed and ${possible.length} possible operations after ${longest === undefined ? "?" : tablet.committed}`;
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

/** Combinations of hash buckets that no tablet of a range has. Ranges without any tablet are allowed: Kudu need not cover all keys. */
export function partitionGaps(tablets: readonly ClusterTablet[]): string[] {
  const schema = tablets[0]?.replicas[0]?.tablet.superblock.partitionSchema;
  const ranges = new Map<string, { expected: number; present: number }>();
  for (const { partition } of tablets) {
    const start = toHex(rangeStart(partition));
    const hash = schema === undefined ? [] : hashOfRange(schema, partition);
    const expected = hash.reduce((count, { buckets }) => count * buckets, 1);
    ranges.set(start, { expected, present: (ranges.get(start)?.present ?? 0) + 1 });
  }
  return [...ranges].flatMap(([start, { expected, present }]) => {
    const bound = start === "" ? "the first range" : `the range that starts at 0x${start}`;
    return present < expected
      ? [`${expected - present} of ${expected} hash partitions of ${bound} have no tablet`]
      : [];
  });
}
