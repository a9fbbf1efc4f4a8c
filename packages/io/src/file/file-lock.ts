/**
 * Locks between processes: a file that exists while a process holds the lock. It is created in one step, which succeeds for one
 * process only, and names it in JSON:
 *
 * | field | |
 * | --- | --- |
 * | `pid`, `host` | process and machine |
 * | `started` | when the process started, in milliseconds since 1970: process numbers are reused |
 * | `token` | random, of this holder alone |
 *
 * The lock of a process that has ended is taken over, on the same machine; nothing is known of other machines.
 */
import { CFileError, isCFileError, toHex } from "@cfile/bytes";
import type { DirectoryLock } from "../directory/byte-directory.js";
import { fileError, nodeModule, systemCode } from "./node-files.js";

interface Owner {
  readonly pid: number;
  readonly host: string;
  readonly started: number;
  readonly token: string;
}

/** For so long a lock without an owner counts as being written. */
const WRITING_MILLISECONDS = 5000;
/** Maximum difference between two readings of the start of one process. */
const START_TOLERANCE = 2000;
const ATTEMPTS = 20;
/** Pause before another try while another process removes a lock that was left over. */
const GUARD_MILLISECONDS = 5;

/**
 * @param path of the lock file
 * @param guard path of a file that is there while a left-over lock is removed
 * @throws CFileError `E_SOURCE_CHANGED` when another process holds the lock, with its name; `E_NOT_FOUND`, `E_IO`
 */
export async function takeFileLock(path: string, guard: string): Promise<DirectoryLock> {
  const own = ownerHere();
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (await create(path, JSON.stringify(own))) {
        return new FileLock(path, own.token);
      }
      const text = await textOf(path);
      if (text === undefined) {
        continue;
      }
      const owner = parseOwner(text);
      if (owner === undefined ? await isYoung(path) : isAlive(owner, own)) {
        throw heldBy(path, owner);
      }
      await removeLeftOver(path, text, guard);
    }
  } catch (error) {
    throw fileError(error, path, "the lock cannot be taken");
  }
  throw heldBy(path, undefined);
}

class FileLock implements DirectoryLock {
  private readonly path: string;
  private readonly token: string;

  constructor(path: string, token: string) {
    this.path = path;
    this.token = token;
  }

  async check(): Promise<void> {
    const text = await textOf(this.path);
    const owner = text === undefined ? undefined : parseOwner(text);
    if (owner?.token !== this.token) {
      throw heldBy(this.path, owner);
    }
  }

  async release(): Promise<void> {
    try {
      await this.check();
    } catch (error) {
      if (isCFileError(error, "E_SOURCE_CHANGED")) {
        return;
      }
      throw error;
    }
    try {
      await nodeModule("node:fs/promises").rm(this.path, { force: true });
    } catch (error) {
      throw fileError(error, this.path, "the lock cannot be released");
    }
  }
}

/** Makes the lock file; `false` when there is one. */
async function create(path: string, text: string): Promise<boolean> {
  try {
    await nodeModule("node:fs/promises").writeFile(path, text, { flag: "wx" });
    return true;
  } catch (error) {
    if (systemCode(error) === "EEXIST") {
      return false;
    }
    throw error;
  }
}

/**
 * Removes the lock of a process that has ended, unless it changed. Only the process that created the file `guard` may do so: a
 * lock that was taken in the meantime is never touched.
 */
async function removeLeftOver(path: string, text: string, guard: string): Promise<void> {
  const { rm } = nodeModule("node:fs/promises");
  if (!(await create(guard, ""))) {
    if (!(await isYoung(guard))) {
      // Its maker died in the few steps below.
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

async function textOf(path: string): Promise<string | undefined> {
  try {
    return await nodeModule("node:fs/promises").readFile(path, "utf8");
  } catch (error) {
    if (systemCode(error) === "ENOENT") {
      return undefined;
    }
    throw fileError(error, path, "the lock cannot be read");
  }
}

async function isYoung(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await nodeModule("node:fs/promises").stat(path);
    return Math.abs(Date.now() - mtimeMs) < WRITING_MILLISECONDS;
  } catch (error) {
    if (systemCode(error) === "ENOENT") {
      return false;
    }
    throw error;
  }
}

function ownerHere(): Owner {
  const { pid, uptime } = nodeModule("node:process");
  return {
    pid,
    host: nodeModule("node:os").hostname(),
    started: Math.round(Date.now() - uptime() * 1000),
    token: toHex(globalThis.crypto.getRandomValues(new Uint8Array(8))),
  };
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
    // In containers every process may have the same number.
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
  const who = owner === undefined ? "somebody else" : `process ${owner.pid} on ${owner.host}`;
  return new CFileError("E_SOURCE_CHANGED", `${who} holds the lock`, {
    path,
    field: "lock",
    actual: who,
  });
}
