/** Opens the directories of any number of Kudu servers for a command. */
import { CFileError } from "@cfile/bytes";
import type { ClusterTable, KuduCluster, KuduTable, MissingTablet, WriteScope } from "@cfile/kudu-dir";
import { exclusive, flag, list, required } from "../../program/option.js";
import {
  type KuduTables,
  type ServerValues,
  serverTrees,
  type TabletValues,
  withKuduDir,
} from "../kudu-directory.js";
import { partitionText } from "../partition-text.js";

export const CLUSTER_DIRS = required(
  list("DIR", "directories of any number of Kudu servers, or one that holds them"),
);

/** Which writes of several servers count; see docs/spec/kudu-cluster.md#4-which-writes-count. */
export const WRITES = {
  confirmedOnly: flag("of several servers, read only writes that are certainly committed"),
  unconfirmed: flag("of several servers, also read writes that got no answer"),
};

export const RECOVER = flag(
  "recover undamaged rows, of several servers from all replicas, and report what is lost",
);

export interface WritesValues {
  readonly confirmedOnly?: boolean;
  readonly unconfirmed?: boolean;
}

/** @throws UsageError when both options are given */
export function writeScope({ confirmedOnly = false, unconfirmed = false }: WritesValues): WriteScope {
  exclusive({ "--confirmed-only": confirmedOnly, "--unconfirmed": unconfirmed });
  return confirmedOnly ? "confirmed" : unconfirmed ? "unconfirmed" : "possible";
}

/** Opens the cluster for as long as `work` runs. */
export async function withKuduCluster<T>(
  values: ServerValues & WritesValues,
  work: (cluster: KuduCluster) => Promise<T>,
): Promise<T> {
  const { openKuduCluster } = await import("@cfile/kudu-dir");
  const { serverKey, historyMaxAge } = values;
  const options = { serverKey, historyMaxAgeSeconds: historyMaxAge, writes: writeScope(values) };
  await using cluster = await openKuduCluster(await serverTrees(values), options);
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

/** The selected tablets that have no replica to read. Errors name their keys if they are known. */
export async function missingTablets(
  tables: KuduTables,
  { table, tablet }: Pick<TabletValues, "table" | "tablet">,
): Promise<readonly MissingTablet[]> {
  const selected: readonly AnyTable[] =
    table === undefined ? await tables.tables() : [await tables.table(table)];
  const all = selected.flatMap((one) => one.missing.map((absent) => withKeys(absent, one)));
  // A tablet whose table is unknown is listed as missing in every table.
  return all.filter(
    ({ id }, i) => (tablet === undefined || id === tablet) && all.findIndex((one) => one.id === id) === i,
  );
}

type AnyTable = KuduTable & Partial<Pick<ClusterTable, "catalog">>;

function withKeys(absent: MissingTablet, { catalog, tablets }: AnyTable): MissingTablet {
  const { partition, error } = absent;
  const known = catalog ?? tablets[0]?.superblock;
  if (known === undefined || partition === undefined) {
    return absent;
  }
  const { partitionSchema, schema } = known;
  const keys = partitionText({ partition, partitionSchema, schema });
  const { code, reason, field } = error;
  return { ...absent, error: new CFileError(code, `${reason}; missing keys: ${keys}`, { field }) };
}
