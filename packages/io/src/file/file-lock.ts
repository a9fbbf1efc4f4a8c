/**
 * Locks between processes: a file that exists while a process holds the lock. It is created in one step, which succeeds only for
 * one process. Its content is JSON:
 *
 * | field | |
 * | --- | --- |
 * | `pid`, `host` | process and machine |
 * | `started` | when the process started, in milliseconds since 1970, because process IDs are reused |
 * | `token` | random, unique to this holder |
 *
 * The lock of a process that has ended is taken over on the same machine. Locks of other machines are always respected.
 */
import { CFileError } from "@cfile/bytes";
import type { DirectoryLock } from "../directory/byte-directory.js";
import { attempt, nodeFiles, nodeModule, randomHex, systemCode, unless } from "./node-files.js";

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly started: number;
  readonly token: string;
}

/** Age in milliseconds up to which a lock without an owner counts as being written. */
const WRITING_MILLISECONDS = 5000;
/** Maximum difference between two readings of the start time of one process. */
const START_TOLERANCE = 2000;
const ATTEMPTS = 20;
/** Pause while another process removes a stale lock. */
const GUARD_MILLISECONDS = 5;

/**
 * @param path of the lock file
 * @param guard path of a file that exists while a stale lock is removed
 * @throws {CFileError} `E_SOURCE_CHANGED` when another process holds the lock (`actual` names it); `E_NOT_FOUND`, `E_IO`
 */
export async function takeFileLock(path: string, guard: string): Promise<DirectoryLock> {
  const { pid, uptime } = nodeModule("node:process");
  const own: Owner = {
    pid,
    host: nodeModule("node:os").hostname(),
    started: Math.round(Date.now() - uptime() * 1000),
    token: randomHex(),
  };
  return attempt("cannot take the lock", path, async () => {
    for (let i = 0; i < ATTEMPTS; i++) {
      if (await create(path, JSON.stringify(own))) {
        return fileLock(path, own.token);
      }
      const text = await textOf(path);
      if (text === undefined) {
        continue;
      }
      const owner = parseOwner(text);
      if (owner === undefined ? await isYoung(path) : isAlive(owner, own)) {
        throw heldBy(path, owner);
      }
      await removeStale(path, text, guard);
    }
    throw heldBy(path, undefined);
  });
}

function fileLock(path: string, token: string): DirectoryLock {
  const currentOwner = async () => parseOwner((await textOf(path)) ?? "");
  return {
    check: async () => {
      const owner = await currentOwner();
      if (owner?.token !== token) {
        throw heldBy(path, owner);
      }
    },
    release: async () => {
      if ((await currentOwner())?.token === token) {
        await attempt("cannot release the lock", path, () => nodeFiles().rm(path, { force: true }));
      }
    },
  };
}

/** Creates a file; `false` if it exists. */
async function create(path: string, text: string): Promise<boolean> {
  const { writeFile } = nodeFiles();
  const writing = writeFile(path, text, { flag: "wx" }).then(() => true);
  return (await unless("EEXIST", writing)) === true;
}

/**
 * Removes the lock of a process that has ended, unless it changed. Only the process that created `guard` may do so, so that a
 * lock taken in the meantime stays.
 */
async function removeStale(path: string, text: string, guard: string): Promise<void> {
  const { rm } = nodeFiles();
  if (!(await create(guard, ""))) {
    if (!(await isYoung(guard))) {
      // Its creator died in the few steps below.
      await rm(guard, { force: true });
    }
    await new Promise((resolve) => setTimeout(resolve, GUARD_MILLISECONDS));
    return;
  }
  try {
    if ((await textOf(path)) === text) {
      await rm(path, { force: true });
    }
  } finally {
    await rm(guard, { force: true });
  }
}

function textOf(path: string): Promise<string | undefined> {
  return attempt("cannot read the lock", path, () => unless("ENOENT", nodeFiles().readFile(path, "utf8")));
}

async function isYoung(path: string): Promise<boolean> {
  const stat = await unless("ENOENT", nodeFiles().stat(path));
  return stat !== undefined && Math.abs(Date.now() - stat.mtimeMs) < WRITING_MILLISECONDS;
}

function parseOwner(text: string): Owner | undefined {
  try {
    const { pid, host, started, token }: Partial<Record<keyof Owner, unknown>> = JSON.parse(text);
    return Number.isInteger(pid) &&
      typeof pid === "number" &&
      pid > 0 &&
      typeof host === "string" &&
      typeof started === "number" &&
      typeof token === "string"
      ? { pid, host, started, token }
      : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(owner: Owner, own: Owner): boolean {
  if (owner.host !== own.host) {
    return true;
  }
  if (owner.pid === own.pid) {
    // In containers, every process may have the same ID.
    return Math.abs(owner.started - own.started) < START_TOLERANCE;
  }
  try {
    nodeModule("node:process").kill(owner.pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== "ESRCH";
  }
}

function heldBy(path: string, owner: Owner | undefined): CFileError {
  const actual = owner === undefined ? "another process" : `process ${owner.pid} on ${owner.host}`;
  return new CFileError("E_SOURCE_CHANGED", `lock held by ${actual}`, { path, field: "lock", actual });
}
