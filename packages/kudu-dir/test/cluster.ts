/** The cluster of `fixtures/golden/kudu-cluster`: one master and four tablet servers, all killed at the same time. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import type { ClientRows } from "./servers.js";

export const TABLET_SERVERS = ["ts0", "ts1", "ts2", "ts3"] as const;

export function clusterPath(server: string): string {
  return pathToGolden(`kudu-cluster/four/${server}`);
}

export const ALL_SERVERS: readonly string[] = ["master", ...TABLET_SERVERS].map(clusterPath);

/** Rows that Kudu's client read while the cluster ran, or (`after`) after it was restarted. */
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

/** Files by path. */
export type ServerFiles = Map<string, Uint8Array>;

/** A server's files in memory, to be changed. */
export function filesOfServer(server: string): ServerFiles {
  const root = clusterPath(server);
  const files: ServerFiles = new Map();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1).replaceAll("\\", "/"), new Uint8Array(readFileSync(path)));
    }
  }
  return files;
}
