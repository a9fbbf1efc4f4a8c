/**
 * What Kudu's client reads while the server rewrites no files, so that its answers are those of the files that it leaves. A row that
 * was deleted and came back is told with other cells after a flush or merge compaction than before: those of its later life.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProcessError } from "../processes.js";
import type { KuduServer } from "./kudu-server.js";

/** How often is asked; what was begun before the switches were off soon ends. */
const MOST_ATTEMPTS = 8;

/**
 * @param read asks the same each time
 * @throws ProcessError when the server goes on rewriting files
 */
export async function readAtRest<T>(server: KuduServer, read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const before = await superblocks(server);
    const answer = await read();
    if ((await superblocks(server)) === before) {
      return answer;
    }
  }
  throw new ProcessError("the server goes on rewriting files while its client reads");
}

/** The superblocks of all tablets as they are; a flush or compaction writes that of its tablet anew. */
async function superblocks({ dataFolder }: KuduServer): Promise<string> {
  const folder = join(dataFolder, "tablet-meta");
  const tablets = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
  const bytes = await Promise.all(tablets.map((name) => readFile(join(folder, name), "base64")));
  return tablets.map((name, i) => `${name} ${bytes[i]}`).join("\n");
}
