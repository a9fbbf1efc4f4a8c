/** Opens the directories of any number of Kudu servers for a command. */
import type { ClusterTable, KuduCluster, KuduTable, MissingTablet, WriteScope } from "@cfile/kudu-dir";
import { exclusive, flag, list, required } from "../../program/option.js";
import { type KuduTables, type ServerValues, type TabletValues, withKuduDir } from "../kudu-directory.js";

export const CLUSTER_DIRS = required(
  list("DIR", "directories of any number of Kudu servers, or one that holds them"),
);

/** Which writes of several servers count; see docs/spec/kudu-cluster.md#4-which-writes-count. */
export const WRITES = {
  confirmedOnly: flag("of several servers, read only writes that are certainly committed"),
  unconfirmed: flag("of several servers, also read writes that got no answer"),
};

export interface WritesValues {
  readonly confirmedOnly?: boolean;
  readonly unconfirmed?: boolean;
}

/** @throws UsageError when both options are given */
function writeScope({ confirmedOnly = false, unconfirmed = false }: WritesValues): WriteScope {
  exclusive({ "--confirmed-only": confirmedOnly, "--unconfirmed": unconfirmed });
  return confirmedOnly ? "confirmed" : unconfirmed ? "unconfirmed" : "possible";
}

/** Opens the cluster for as long as `work` runs. */
export async function withKuduCluster<T>(
  values: ServerValues & WritesValues,
  work: (cluster: KuduCluster) => Promise<T>,
): Promise<T> {
  const { openKuduCluster } = await import("@cfile/kudu-dir");
  const { dirs, serverKey, historyMaxAge } = values;
  const options = { serverKey, historyMaxAgeSeconds: historyMaxAge, writes: writeScope(values) };
  await using cluster = await openKuduCluster(dirs, options);
  return await work(cluster);
}

/**
 * Opens the directories of one server or several for as long as `work` runs.
 *
 * @param work its second argument says whether there are several servers, whose logs are always read
 */
export async function withKuduTables<T>(
  values: ServerValues & WritesValues,
  work: (tables: KuduTables, isCluster: boolean) => Promise<T>,
): Promise<T> {
  return withKuduCluster(values, (cluster) =>
    cluster.servers.length > 1 ? work(cluster, true) : withKuduDir(values, (dir) => work(dir, false)),
  );
}

/** The selected tablets that have no replica to read. */
export async function missingTablets(
  tables: KuduTables,
  { table, tablet }: Pick<TabletValues, "table" | "tablet">,
): Promise<readonly MissingTablet[]> {
  const selected = table === undefined ? await tables.tables() : [await tables.table(table)];
  return selected
    .flatMap((one: KuduTable & Partial<Pick<ClusterTable, "missing">>) => one.missing ?? [])
    .filter(({ id }) => tablet === undefined || id === tablet);
}
