/** The directories of several Kudu servers: servers, tables, tablets, and the replicas of a tablet side by side. */
import { isCFileError } from "@cfile/bytes";
import type { FileTree } from "@cfile/io";
import {
  type ClusterTablet,
  type KuduCluster,
  type KuduTablet,
  openKuduCluster,
  openKuduDir,
  openKuduServers,
  type Replica,
  replicaDigests,
} from "@cfile/kudu-dir";
import type { ComparisonView } from "../../../protocol.js";
import { countText, fact } from "../../cells.js";
import { type ChildDoc, type Doc, describe, folderChild, listDoc, type Work } from "../doc.js";
import { serverDoc, tabletDoc } from "./kudu-doc.js";
import { tableDoc } from "./table-doc.js";

const CACHE_BYTES = 16 * 1024 * 1024;

/** The document of all folders of Kudu servers; `others` are the folders that belong to no server. */
export async function openKuduDocs(
  folders: readonly FileTree[],
): Promise<{ server: Doc | undefined; others: readonly FileTree[] }> {
  const trees: FileTree[] = [];
  const others: FileTree[] = [];
  let count = 0;
  for (const tree of folders) {
    const servers = await serversIn(tree);
    count += servers;
    (servers > 0 ? trees : others).push(tree);
  }
  if (count === 0) {
    return { server: undefined, others };
  }
  const title = trees.map(({ name }) => name).join(", ");
  const options = { cacheBytes: CACHE_BYTES };
  const cluster = await openKuduCluster(trees, options);
  const server =
    cluster.servers.length > 1
      ? await clusterDoc(cluster, title)
      : await serverDoc(await openKuduDir(trees, options), title);
  return { server, others };
}

async function serversIn(tree: FileTree): Promise<number> {
  try {
    return (await openKuduServers(tree)).length;
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return 0;
    }
    throw error;
  }
}

async function clusterDoc(cluster: KuduCluster, title: string): Promise<Doc> {
  const names = await cluster.tableNames();
  const tablets = await cluster.replicaSets();
  const problems = await cluster.problems();
  const masters = await cluster.masters();
  const facts = [
    fact("Servers", cluster.servers.length),
    fact("Tables", names.size),
    fact("Tablets", tablets.length),
    fact("Without a replica", tablets.filter(({ readable }) => readable.length === 0).length),
    ...problems.map(({ code, reason }) => fact(code, reason)),
  ];
  const servers = cluster.servers.map((dir) => {
    const name = shortName(dir.uuid ?? dir.roots.names[0] ?? "unknown");
    const label = masters.includes(dir) ? `Master ${name}` : `Server ${name}`;
    return folderChild(label, foldersText(dir.roots.names.length), () => serverDoc(dir, label));
  });
  const tables = [...names].map(([id, { name, entry }]) => {
    const own = tablets.filter(({ tableId }) => tableId === id);
    const state = entry === undefined || entry.state === "running" ? "" : `, ${entry.state}`;
    const detail = own.length === 1 ? `1 tablet${state}` : `${own.length} tablets${state}`;
    const about = [
      fact("Table ID", id),
      ...(entry === undefined
        ? []
        : [
            fact("Owner", entry.owner ?? "unknown"),
            fact("Replicas", entry.replicas),
            fact("State", entry.state),
          ]),
    ];
    return folderChild(name, detail, async () =>
      listDoc(name, about, () => own.map((tablet) => tabletChild(name, tablet))),
    );
  });
  return listDoc(title, facts, () => [
    folderChild("Servers", String(servers.length), async () => listDoc("Servers", [], () => servers)),
    ...tables,
  ]);
}

function foldersText(count: number): string {
  return count === 1 ? "1 folder" : `${count} folders`;
}

function shortName(uuid: string): string {
  return uuid.slice(0, 8);
}

function tabletChild(table: string, tablet: ClusterTablet): ChildDoc {
  const { id, readable, replicas } = tablet;
  const label = `Tablet ${shortName(id)}`;
  const count = replicas.length === 1 ? "1 replica" : `${replicas.length} replicas`;
  return {
    label,
    detail: readable.length === 0 ? `${count}, not readable` : count,
    kind: "table",
    hasChildren: true,
    open: async () => replicatedDoc(`${table} · ${shortName(id)}`, tablet),
  };
}

/** The rows of the selected replica, and a comparison of all replicas. */
function replicatedDoc(title: string, tablet: ClusterTablet): Doc {
  const [best] = tablet.readable;
  const children = async (): Promise<readonly ChildDoc[]> => tablet.replicas.map(replicaChild);
  const own: Pick<Doc, "replicas" | "digests"> = {
    replicas: async () => comparisonOf(tablet),
    digests: (_, work) => digestsOf(tablet, work),
  };
  if (best === undefined) {
    const view = describe({ title, kind: "table", facts: [fact("Tablet", tablet.id)], tabs: ["replicas"] });
    return { ...own, view: { ...view, hasChildren: tablet.replicas.length > 0 }, children };
  }
  const { schema, state } = best.tablet;
  const table = tableDoc({
    title,
    schema,
    rowCount: undefined,
    facts: [
      fact("Tablet", tablet.id),
      fact("State", state),
      fact("Read from", shortName(best.server)),
      fact("Unconfirmed operations", tablet.unconfirmed.length),
    ],
    // With the writes of all logs that count, as in `ClusterTable`.
    scan: (options) => best.tablet.scan({ ...options, withLog: true }),
    children,
  });
  return { ...table, ...own, view: { ...table.view, tabs: ["replicas", ...table.view.tabs] } };
}

function replicaChild({ server, dir, tablet }: Replica): ChildDoc {
  const { liveRowCount, state } = tablet;
  return {
    label: `Replica ${shortName(server)}`,
    detail: state !== "ready" || liveRowCount === undefined ? state : `${countText(liveRowCount)} rows`,
    kind: "table",
    hasChildren: true,
    open: async () => tabletDoc(dir, tablet),
  };
}

async function comparisonOf(tablet: ClusterTablet): Promise<ComparisonView> {
  const { replicas, config, longest, readable } = tablet;
  const sizes = await Promise.all(replicas.map((replica) => sizeOf(replica.tablet)));
  const last = longest?.lastOperation;
  const row = (label: string, textOf: (replica: Replica, index: number) => string, isCompared = true) => {
    const values = replicas.map(textOf);
    return { label, values, differs: isCompared && new Set(values).size > 1 };
  };
  const voterUuids = config?.peers.filter(({ isVoter }) => isVoter).map(({ uuid }) => uuid) ?? [];
  return {
    replicas: replicas.map(({ server }) => shortName(server)),
    missing: voterUuids.filter((uuid) => !replicas.some(({ server }) => server === uuid)).map(shortName),
    rows: [
      row("State", ({ tablet: { state } }) => state),
      row("Role", ({ server }) =>
        config === undefined ? "unknown" : voterUuids.includes(server) ? "voter" : "not a voter",
      ),
      row("Read", (replica) => (readable[0] === replica ? "yes" : "no"), false),
      row("Term", ({ consensus }) => String(consensus?.term ?? "unknown")),
      row("Configuration of operation", ({ consensus }) => String(consensus?.config.index ?? "unknown")),
      row("Last operation", ({ lastOperation }) =>
        lastOperation === undefined ? "unknown" : `${lastOperation.term}.${lastOperation.index}`,
      ),
      row("Operations behind", ({ lastOperation }) =>
        last === undefined || lastOperation === undefined
          ? "unknown"
          : countText(Number(last.index - lastOperation.index)),
      ),
      row("Operations in the log", ({ log }) => countText(log.length)),
      row("Row sets", (one) => countText(one.tablet.rowSets.length)),
      row("Rows in files", (one) => String(one.tablet.liveRowCount ?? "unknown")),
      row("Bytes", (_, i) => sizes[i] ?? ""),
      row("Damage", ({ problems }) => problems.map(({ reason }) => reason).join("; ") || "none"),
    ],
  };
}

async function sizeOf(tablet: KuduTablet): Promise<string> {
  let ambiguous = 0;
  try {
    const { total } = await tablet.size(() => ambiguous++);
    return ambiguous === 0
      ? countText(total)
      : `${countText(total)} without ${countText(ambiguous)} ambiguous blocks`;
  } catch (error) {
    if (isCFileError(error)) {
      return error.code;
    }
    throw error;
  }
}

async function digestsOf(tablet: ClusterTablet, { signal }: Work): Promise<ComparisonView> {
  const { asOf, replicas } = await replicaDigests(tablet, signal);
  const texts = replicas.map(({ rows, digest, error }) => ({
    rows: rows === undefined ? (error?.reason ?? "unknown") : countText(rows),
    digest: digest?.slice(0, 16) ?? "none",
  }));
  const row = (label: string, values: readonly string[]) => ({
    label,
    values,
    differs: new Set(values).size > 1,
  });
  return {
    replicas: replicas.map(({ server }) => shortName(server)),
    missing: [],
    rows: [
      row(
        asOf === undefined ? "Rows" : `Rows before ${asOf}`,
        texts.map(({ rows }) => rows),
      ),
      row(
        "Digest",
        texts.map(({ digest }) => digest),
      ),
    ],
  };
}
