/**
 * Reads with Kudu's client while the server does not rewrite files, so that the answers match the remaining files.
 * For a row that was deleted and came back, a flush or merge compaction changes the cells in the answer to
 * those of its later life.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { ProcessError } from "../../processes.js";
import type { KuduServer } from "../kudu-server.js";

/** Number of attempts; operations that started before maintenance was turned off soon end. */
const MOST_ATTEMPTS = 8;

/**
 * @param read sends the same requests each time
 * @throws ProcessError when the server keeps rewriting files
 */
export async function readAtRest<T>(server: KuduServer, read: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
    const before = await superblocks(server);
    const answer = await read();
    if ((await superblocks(server)) === before) {
      return answer;
    }
  }
  throw new ProcessError("the server keeps rewriting files while its client reads");
}

/** The superblocks of all tablets; a flush or compaction rewrites that of its tablet. */
async function superblocks({ dataFolder }: KuduServer): Promise<string> {
  const folder = join(dataFolder, "tablet-meta");
  const tablets = (await readdir(folder)).filter((name) => /^[0-9a-f]{32}$/.test(name)).sort();
  const bytes = await Promise.all(tablets.map((name) => readFile(join(folder, name), "base64")));
  return tablets.map((name, i) => `${name} ${bytes[i]}`).join("\n");
}
