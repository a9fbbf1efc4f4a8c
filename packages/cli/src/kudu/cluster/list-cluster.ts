/** The tablets of a cluster with their replicas, for `cfile kudu ls`. */
import type { ClusterTablet, KuduCluster, Replica } from "@cfile/kudu-dir";
import { hasNumberedRows, type TabletSize } from "@cfile/kudu-dir/catalog";
import type { CliContext } from "../../program/context.js";
import { EXIT } from "../../program/exit-code.js";
import { countText, sizeText } from "../../records/quantity.js";
import { left, right, tableLines } from "../../records/table.js";
import type { TabletValues } from "../kudu-directory.js";
import { partitionText } from "../partition-text.js";
import { oneLine } from "./describe-text.js";

interface ListedReplica {
  readonly replica: Replica;
  readonly size: TabletSize;
  /** Number of operations that the longest log has and this one lacks. */
  readonly behind: bigint | undefined;
  /** Why this replica is read; `undefined` for the others. */
  readonly chosen: string | undefined;
}

interface ListedTablet {
  readonly tablet: ClusterTablet;
  readonly table: string;
  readonly partition: string;
  readonly replicas: readonly ListedReplica[];
}

export async function listCluster(
  context: CliContext,
  cluster: KuduCluster,
  { table, tablet: id, json }: Pick<TabletValues, "table" | "tablet"> & { readonly json: boolean },
): Promise<void> {
  const names = await cluster.tableNames();
  const tableId = table === undefined ? undefined : (await cluster.table(table)).id;
  const listed: ListedTablet[] = [];
  for (const tablet of await cluster.replicaSets(tableId)) {
    if (id === undefined || tablet.id === id) {
      const name = names.get(tablet.tableId)?.name ?? tablet.tableId;
      const replicas = await Promise.all(tablet.replicas.map((replica) => listedReplica(tablet, replica)));
      listed.push({
        tablet,
        table: name,
        partition: partitionOf(tablet, names.get(tablet.tableId)?.entry),
        replicas,
      });
    }
  }
  listed.sort((one, other) => (one.table === other.table ? 0 : one.table < other.table ? -1 : 1));
  const problems = await cluster.problems();
  const servers = cluster.servers.map(({ uuid, encrypted, roots }) => ({
    uuid,
    encrypted,
    roots: roots.names,
  }));
  const text = json
    ? JSON.stringify({ servers, tablets: listed.map(tabletJson), problems }, undefined, 2)
    : tabletLines(listed).join("\n");
  await context.stdout.line(text);
  await context.reportErrors(json ? [] : problems);
  const isMissing = listed.some(({ tablet }) => tablet.readable.length === 0);
  context.exitCode = problems.length > 0 || isMissing ? EXIT.corrupt : EXIT.ok;
}

async function listedReplica(tablet: ClusterTablet, replica: Replica): Promise<ListedReplica> {
  const last = tablet.longest?.lastOperation?.index;
  const own = replica.lastOperation?.index;
  return {
    replica,
    // Duplicate block IDs are reported with the problems of the cluster.
    size: await replica.tablet.size(() => undefined),
    behind: last === undefined || own === undefined ? undefined : last - own,
    chosen: tablet.readable[0] === replica ? reasonOf(tablet, replica) : undefined,
  };
}

function reasonOf({ readable, catalog }: ClusterTablet, { problems, log, server, tablet }: Replica): string {
  if (readable.length === 1) {
    return "only readable replica";
  }
  if (problems.length > 0) {
    return "every replica has damage";
  }
  const equal = readable.filter((other) => other.problems.length === 0 && other.log.length >= log.length);
  if (hasNumberedRows(tablet.schema) && catalog?.leader === server) {
    return "newest operation, leader: it numbers the rows";
  }
  return equal.length > 1 ? "newest operation, shortest log" : "newest operation";
}

function partitionOf(
  { partition, replicas }: ClusterTablet,
  entry: Pick<Parameters<typeof partitionText>[0], "partitionSchema" | "schema"> | undefined,
): string {
  const superblock = replicas[0]?.tablet.superblock;
  const known = entry ?? superblock;
  return known === undefined
    ? ""
    : partitionText({ partition, partitionSchema: known.partitionSchema, schema: known.schema });
}

function tabletJson({ tablet, table, partition, replicas }: ListedTablet): unknown {
  const { id, tableId, catalog, committed, possible, unconfirmed, config } = tablet;
  return {
    tablet: id,
    table,
    table_id: tableId,
    state: catalog?.state,
    partition_info: partition,
    committed_index: String(committed),
    possible: possible.length,
    unconfirmed: unconfirmed.length,
    voters: config?.peers.filter(({ isVoter }) => isVoter).map(({ uuid }) => uuid),
    replicas: replicas.map(({ replica, size, behind, chosen }) => ({
      server: replica.server,
      state: replica.tablet.state,
      last_operation: operationText(replica),
      operations_behind: behind === undefined ? undefined : String(behind),
      row_sets: replica.tablet.rowSets.length,
      bytes: size.total,
      missing_blocks: size.missing.map(String),
      problems: replica.problems,
      read: chosen !== undefined,
      reason: chosen,
    })),
  };
}

function operationText({ lastOperation }: Replica): string | undefined {
  return lastOperation === undefined ? undefined : `${lastOperation.term}.${lastOperation.index}`;
}

function tabletLines(listed: readonly ListedTablet[]): string[] {
  const rows = listed.flatMap(({ tablet, table, partition, replicas }) => {
    const head = [oneLine(table), tablet.id, partition || "all"];
    if (replicas.length === 0) {
      return [[...head, "no replica", "", "", "", "", "", ""]];
    }
    return replicas.map(({ replica, size, behind, chosen }, i) => [
      ...(i === 0 ? head : ["", "", ""]),
      replica.server,
      replica.tablet.state,
      operationText(replica) ?? "?",
      behind === undefined ? "?" : countText(Number(behind)),
      countText(replica.tablet.rowSets.length),
      sizeText(size.total),
      [chosen === undefined ? "" : `read: ${chosen}`, replica.problems.length === 0 ? "" : "damaged"]
        .filter((part) => part !== "")
        .join(", "),
    ]);
  });
  const titles = ["table", "tablet", "partition", "server", "state", "last op"].map(left);
  return tableLines([...titles, ...["behind", "DiskRowSets", "size"].map(right), left("")], rows, "");
}
