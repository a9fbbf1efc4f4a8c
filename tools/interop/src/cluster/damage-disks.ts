/** Lost and damaged disks: those of a server, a directory, or random bytes in the files of up to two replicas of a tablet. */
import { cp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Random } from "../random.js";

/** A copy of the servers' folders. */
export async function copiedDisks(folder: string, names: readonly string[], to: string): Promise<string[]> {
  await rm(to, { recursive: true, force: true });
  for (const name of names) {
    await cp(join(folder, name), join(to, name), { recursive: true });
  }
  return names.map((name) => join(to, name));
}

/** Deletes a data directory or the directory of logs and metadata. */
export async function deleteDirectory(random: Random, root: string): Promise<string> {
  const directory = random.pick(["data-1", "data-2", "data-2", "wal"]);
  await rm(join(root, directory), { recursive: true, force: true });
  return directory;
}

/** Flips bytes in some files of a server: blocks, journals of containers, superblocks, logs, consensus metadata. */
export async function flipBytes(random: Random, root: string): Promise<readonly string[]> {
  const files: string[] = [];
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const isChosen = /\.data$|\.metadata$|wal-\d+$|(?:tablet|consensus)-meta\/[0-9a-f]{32}$/.test(path);
    if (entry.isFile() && isChosen && (await stat(path)).size > 0) {
      files.push(path);
    }
  }
  const changed = random.shuffled(files.sort()).slice(0, random.between(1, 6));
  const flips: string[] = [];
  for (const path of changed) {
    const bytes = await readFile(path);
    const changes: string[] = [];
    for (let left = random.between(1, 4); left > 0; left--) {
      const at = random.below(bytes.length);
      bytes[at] = (bytes[at] ?? 0) ^ (1 << random.below(8));
      changes.push(String(at));
    }
    await writeFile(path, bytes);
    flips.push(`${path} at ${changes.join(" ")}`);
  }
  return flips;
}
