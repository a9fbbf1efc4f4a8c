/** The files of the servers in `fixtures/golden/servers`. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { memoryTree } from "@cfile/io";
import { openKuduDir } from "@cfile/kudu-dir";
import type { Subject } from "../harness.js";

const servers = fileURLToPath(new URL("../../../../fixtures/golden/servers/", import.meta.url));
const read = new Map<string, readonly Subject[]>();

/** All files of a server, by path. */
export function serverFiles(server: "log" | "file"): readonly Subject[] {
  const known = read.get(server);
  if (known !== undefined) {
    return known;
  }
  const root = join(servers, server);
  const files = readdirSync(join(root, "ts"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({
      name: path.slice(root.length + 1).replaceAll("\\", "/"),
      bytes: new Uint8Array(readFileSync(path)),
    }));
  read.set(server, files);
  return files;
}

/** Superblocks, the smallest first. */
export function smallestSuperblocks(): readonly Subject[] {
  return serverFiles("log")
    .filter(({ name }) => name.includes("tablet-meta"))
    .sort((a, b) => a.bytes.length - b.bytes.length);
}

/** A directory with one tablet, which has rows in files and in its log. Each file is a subject. */
export async function smallestTablet(): Promise<
  (Subject & { readonly files: ReadonlyMap<string, Uint8Array> })[]
> {
  const all = serverFiles("file");
  const dir = await openKuduDir(memoryTree(new Map(all.map(({ name, bytes }) => [name, bytes])), "server"));
  const sizes = new Map<string, number>();
  const tabletOf = new Map<string, string>();
  for (const [id, uses] of await dir.blockUses()) {
    const tablet = uses[0]?.tablet ?? "";
    sizes.set(tablet, (sizes.get(tablet) ?? 0) + 1);
    tabletOf.set(String(id).padStart(16, "0"), tablet);
  }
  const [[smallest] = [""]] = [...sizes].sort(([, a], [, b]) => a - b);
  const kept = all.filter(({ name }) => {
    const last = name.slice(name.lastIndexOf("/") + 1);
    const isOfTablet = name.includes(smallest) || tabletOf.get(last) === smallest;
    return isOfTablet || last === "instance" || last === "block_manager_instance";
  });
  const files = new Map(kept.map(({ name, bytes }) => [name, bytes]));
  return kept.map((subject) => ({ ...subject, files }));
}
