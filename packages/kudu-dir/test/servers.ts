import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type FileTree, memoryTree } from "@cfile/io";
import { clientRowFiles, pathToGolden, readGoldenJson } from "@cfile-tools/testkit";
import type { JsonRow } from "./json-rows.js";

export type ServerName = "log" | "file" | "encrypted";

interface Snapshot {
  readonly label: string;
  readonly timestamp: string;
  readonly tablets: Readonly<Record<string, readonly JsonRow[]>>;
}

interface Diff {
  readonly from: string;
  readonly to: string;
  readonly tablets: Readonly<Record<string, readonly JsonRow[]>>;
}

export interface ClientRows {
  readonly table: string;
  readonly columns: readonly { readonly name: string; readonly id: number }[];
  readonly snapshots: readonly Snapshot[];
  readonly diffs: readonly Diff[];
}

export function serverPath(server: ServerName): string {
  return pathToGolden(`servers/${server}`);
}

/** All tables with recorded rows. */
export function clientTables(server: ServerName): readonly ClientRows[] {
  return clientRowFiles(server).map((file) => readGoldenJson<ClientRows>(file));
}

/** A server's files in memory, to be changed. */
export function serverFiles(server: ServerName): Map<string, Uint8Array> {
  return filesIn(serverPath(server));
}

/** The files of a server's folder, by their paths in `root`. */
export function filesIn(root: string, server = "ts"): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(join(root, server), { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1).replaceAll("\\", "/"), new Uint8Array(readFileSync(path)));
    }
  }
  return files;
}

export function treeOf(files: ReadonlyMap<string, Uint8Array>): FileTree {
  return memoryTree(files, "server");
}
