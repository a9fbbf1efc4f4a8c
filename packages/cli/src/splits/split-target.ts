/**
 * The file of a split is written under a temporary name, `.NAME.HOST-PID-DIGITS.tmp`, which identifies the worker. When a split
 * runs again, the temporary files of killed workers are removed.
 */
import { readdir, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { toHex } from "@cfile/bytes";
import type { ByteSink } from "@cfile/io";
import { fileSink } from "@cfile/io/file";

/** A temporary file of another machine is stale when it was not written for this long. */
const STALE_MILLISECONDS = 3_600_000;

/** A sink for the file `name` in `folder`. */
export function splitTarget(folder: string, name: string): Promise<ByteSink> {
  const digits = toHex(crypto.getRandomValues(new Uint8Array(8)));
  const temporaryName = `.${name}.${ownHost()}-${process.pid}-${digits}.tmp`;
  return fileSink(join(folder, name), { temporaryName });
}

/** Removes temporary files of workers that have ended. */
export async function removeLeftovers(folder: string, name: string): Promise<void> {
  const prefix = `.${name}.`;
  for (const file of await readdir(folder)) {
    const [, host, pid] = /^(.*)-(\d+)-[0-9a-f]{16}\.tmp$/.exec(file.slice(prefix.length)) ?? [];
    if (file.startsWith(prefix) && host !== undefined && pid !== undefined) {
      const path = join(folder, file);
      if (host === ownHost() ? !isRunning(Number(pid)) : await isStale(path)) {
        await rm(path, { force: true });
      }
    }
  }
}

function ownHost(): string {
  return hostname()
    .replace(/[^\w.-]/g, "_")
    .slice(0, 64);
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists but cannot be signaled.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    return Date.now() - (await stat(path)).mtimeMs > STALE_MILLISECONDS;
  } catch {
    // Another worker has removed it.
    return false;
  }
}
