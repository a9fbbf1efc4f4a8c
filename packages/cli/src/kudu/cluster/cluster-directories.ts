/** Opens the directories of any number of Kudu servers for a command. */
import type { KuduCluster } from "@cfile/kudu-dir";
import { choice, list, required } from "../../program/option.js";
import type { ServerValues } from "../kudu-directory.js";

export const CLUSTER_DIRS = required(
  list("DIR", "directories of any number of Kudu servers, or one that holds them"),
);

export const WRITES = choice(
  "writes to read: committed only, also possible ones, or all",
  ["confirmed", "possible", "unconfirmed"],
  "possible",
);

/** Opens the cluster for as long as `work` runs. */
export async function withKuduCluster<T>(
  values: ServerValues & { readonly writes?: "confirmed" | "possible" | "unconfirmed" | undefined },
  work: (cluster: KuduCluster) => Promise<T>,
): Promise<T> {
  const { openKuduCluster } = await import("@cfile/kudu-dir");
  const { dirs, serverKey, historyMaxAge, writes } = values;
  await using cluster = await openKuduCluster(dirs, {
    serverKey,
    historyMaxAgeSeconds: historyMaxAge,
    writes,
  });
  return await work(cluster);
}
