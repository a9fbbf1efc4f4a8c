/**
 * Every directory of a Kudu server in `fixtures/golden`: both block managers, encrypted files, several versions, masters, and servers
 * that were killed. Each has the rows of its tablets and the bytes that are read for them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { DirectoryFiles, LogEntries } from "./damage-files.js";
import { findLogEntries, readEachTablet, type TabletReading } from "./read-tablets.js";

const golden = fileURLToPath(new URL("../../../../fixtures/golden/", import.meta.url));
/** Folders with directories of servers; the others contain single files. */
const FOLDERS = ["comes-back", "kudu-cluster", "kudu-versions", "server-masters", "servers"];
/** Every root of a server, including its data directories, has this file. */
const INSTANCE = "instance";
const ROOT = /\/(?:wal|data-?\d+)$/;

/** A server's directories, undamaged. */
export interface Server {
  readonly name: string;
  readonly files: DirectoryFiles;
  /** The tablets by ID. */
  readonly tablets: ReadonlyMap<string, TabletReading>;
  readonly logEntries: LogEntries;
}

/** Paths in `fixtures/golden`, in order. */
export const DIRECTORIES: readonly string[] = [...new Set(FOLDERS.flatMap(serversIn))].sort();

function serversIn(folder: string): string[] {
  return readdirSync(join(golden, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === INSTANCE)
    .map(({ parentPath }) => parentPath.slice(golden.length).replaceAll("\\", "/").replace(ROOT, ""));
}

const loaded = new Map<string, Promise<Server>>();

/** Loads a server's directories, once per server. */
export function loadServer(name: string): Promise<Server> {
  const server = loaded.get(name) ?? readServer(name);
  loaded.set(name, server);
  return server;
}

async function readServer(name: string): Promise<Server> {
  const files = filesIn(join(golden, name));
  return { name, files, tablets: await readEachTablet(files), logEntries: await findLogEntries(files) };
}

function filesIn(root: string): DirectoryFiles {
  const files = new Map<string, Uint8Array>();
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files.set(path.slice(root.length + 1).replaceAll("\\", "/"), new Uint8Array(readFileSync(path)));
    }
  }
  return files;
}
