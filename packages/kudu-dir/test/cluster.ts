/** The cluster of `fixtures/golden/kudu-cluster`: one master and four tablet servers, killed at once. */
import { readdirSync } from "node:fs";
import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import type { ClientRows } from "./servers.js";

export const TABLET_SERVERS = ["ts0", "ts1", "ts2", "ts3"] as const;

export function clusterPath(server: string): string {
  return pathToGolden(`kudu-cluster/four/${server}`);
}

export const ALL_SERVERS: readonly string[] = ["master", ...TABLET_SERVERS].map(clusterPath);

/** What Kudu's client read while the cluster lived, or (`after`) when it was started again. */
export function clusterTables(when: "rows" | "after"): readonly ClientRows[] {
  const folder = `kudu-cluster/four/${when}`;
  return readdirSync(pathToGolden(folder)).map((file) => readGoldenJson<ClientRows>(`${folder}/${file}`));
}

export interface ServerFacts {
  readonly servers: Readonly<Record<string, string>>;
  readonly stopped: string;
  readonly unanswered: readonly (readonly [region: string, id: string])[];
}

export function serverFacts(): ServerFacts {
  return readGoldenJson("kudu-cluster/four/facts/servers.json");
}
