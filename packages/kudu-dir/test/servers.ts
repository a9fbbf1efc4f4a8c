/** Directories of running Kudu servers, and what Kudu's own client read: `fixtures/golden/README.md`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type FileTree, memoryTree } from "@cfile/io";
import type { JsonRow } from "./json-rows.js";

export type ServerName = "log" | "file" | "encrypted";

const golden = fileURLToPath(new URL("../../../fixtures/golden/", import.meta.url));

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

export function goldenPath(path: string): string {
  return join(golden, path);
}

export function goldenBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(goldenPath(path)));
}

export function goldenJson<T>(path: string): T {
  return JSON.parse(readFileSync(goldenPath(path), "utf8"));
}

export function serverPath(server: ServerName): string {
  return goldenPath(`servers/${server}`);
}

/** All tables of which there are rows. */
export function clientTables(server: ServerName): readonly ClientRows[] {
  return [`servers/${server}/rows`, `cluster-${server}/rows`]
    .filter((folder) => existsSync(goldenPath(folder)))
    .flatMap((folder) =>
      readdirSync(goldenPath(folder)).map((file) => goldenJson<ClientRows>(`${folder}/${file}`)),
    );
}

/** A server's files in memory, to be changed. */
export function serverFiles(server: ServerName): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const root = serverPath(server);
  for (const entry of readdirSync(join(root, "ts"), { recursive: true, withFileTypes: true })) {
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
