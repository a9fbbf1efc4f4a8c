import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { CFileError, invalidArgument } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "../sink/byte-sink.js";
import {
  attempt,
  fileError,
  nodeFiles,
  nodeModule,
  pathOf,
  randomHex,
  syncFolder,
  unless,
} from "./node-files.js";

const CANNOT_WRITE = "cannot write the file";
/**
 * Maximum bytes of a write. Linux takes larger writes into pages of 1 MiB and more, which a virtual machine may have returned to its
 * host: 1.1 GiB take 0.8 to 0.9 s by `dd conv=fsync` with `bs=256K`, and 2.6 to 4.2 s with `bs=1M` or `bs=4M`.
 */
const WRITE_BYTES = 256 * 1024;
/** Number of written bytes after which a sync is started. */
const SYNC_BYTES = 64 * 1024 * 1024;

/** Options for writing a file on disk. */
export interface FileSinkOptions {
  /** Whether `close` waits for the disk. Otherwise a power cut may leave an incomplete file. Default `true`. */
  readonly sync?: boolean | undefined;
  /**
   * Whether writes block the thread, which takes less processor time than handing them to another thread. For threads without other work.
   * Default `false`.
   */
  readonly blocking?: boolean | undefined;
  /**
   * Name of the temporary file, relative to the folder of the file; it must not exist, except with `kept`. Default: `.cfile-`, 16
   * hexadecimal digits, `.tmp`.
   */
  readonly temporaryName?: string | undefined;
  /** Number of bytes of an existing temporary file, to which the sink appends. Default: a new file. */
  readonly kept?: number | undefined;
  /** Whether `close` fails with `E_IO` instead of replacing a file of this name. Needs hard links. Default `false`. */
  readonly isNew?: boolean | undefined;
}

/**
 * A file that is either complete or absent: bytes go to a temporary file in the same folder. `close` syncs it to the disk and
 * renames it, replacing an existing file and keeping its permissions. `abort`, and a failing `close`, remove it. After a
 * failed `write`, `close` fails too.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no such directory; `E_IO`: the file cannot be written (see `reason`); `E_TRUNCATED`: fewer bytes
 *   than `kept`
 */
export async function fileSink(
  location: string | URL,
  {
    sync = true,
    blocking = false,
    temporaryName = `.cfile-${randomHex()}.tmp`,
    isNew = false,
    kept,
  }: FileSinkOptions = {},
): Promise<ByteSink> {
  const name = pathOf(location);
  if (name === "") {
    throw invalidArgument("invalid path: empty", { field: "path" });
  }
  const { link, open, realpath, rename, rm } = nodeFiles();
  const { dirname, join } = nodeModule("node:path");
  const { path, temporary, handle } = await attempt(CANNOT_WRITE, name, async () => {
    const existing = await existingFile(name);
    // The target of a symbolic link, so that the link remains one.
    const path = existing === undefined ? name : await realpath(name);
    const temporary = join(dirname(path), temporaryName);
    const handle = kept === undefined ? await open(temporary, "wx") : await openKept(temporary, kept);
    if (existing !== undefined) {
      // Not every file system has permissions.
      await handle.chmod(existing.mode & 0o777).catch(() => undefined);
    }
    return { path, temporary, handle };
  });
  /** After a failed write, a part of its bytes may be in the file. */
  let failure: CFileError | undefined;
  let end = kept ?? 0;
  const writeFrom = blocking ? blockingWrites(handle) : freeWrites(handle);
  const requireComplete = (): void => {
    if (failure !== undefined) {
      throw failure;
    }
  };
  const fail = (error: unknown): void => {
    failure ??= fileError(error, name, CANNOT_WRITE);
  };
  const early = new EarlySync(handle, fail);
  const remove = async (): Promise<void> => {
    await early.finish();
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
  };
  return orderedSink({
    name,
    write: async (bytes) => {
      requireComplete();
      const start = end;
      end += bytes.length;
      try {
        for (let done = 0; done < bytes.length; ) {
          const length = Math.min(WRITE_BYTES, bytes.length - done);
          const count = await writeFrom(bytes, done, length, start + done);
          if (count === 0) {
            throw new CFileError("E_IO", `${CANNOT_WRITE}: the system accepts no more bytes`, { path: name });
          }
          done += count;
        }
      } catch (error) {
        fail(error);
      }
      requireComplete();
      if (sync) {
        early.start(end);
      }
    },
    truncate: async (length) => {
      requireComplete();
      await handle.truncate(length).catch(fail);
      requireComplete();
      end = length;
    },
    close: async () => {
      try {
        await early.finish();
        requireComplete();
        if (sync) {
          await handle.sync();
        }
        await handle.close();
        await (isNew ? link(temporary, path).then(() => rm(temporary)) : rename(temporary, path));
      } catch (error) {
        await remove().catch(() => undefined);
        throw fileError(error, name, "cannot complete the file");
      }
      if (sync) {
        await syncFolder(dirname(path));
      }
    },
    abort: () => attempt(`cannot remove the temporary file ${temporary}`, name, remove),
  });
}

/** Writes `length` bytes from index `start` on to a position of the file; returns the number of bytes written, which may be less. */
type WriteFrom = (
  bytes: Uint8Array,
  start: number,
  length: number,
  position: number,
) => number | Promise<number>;

function freeWrites(handle: FileHandle): WriteFrom {
  return async (...from) => (await handle.write(...from)).bytesWritten;
}

function blockingWrites({ fd }: FileHandle): WriteFrom {
  const { writeSync } = nodeModule("node:fs");
  return (...from) => writeSync(fd, ...from);
}

/** Syncs a file while it is written, so that its last sync is short. The system reports a failed write to only one of the two syncs. */
class EarlySync {
  private readonly handle: FileHandle;
  private readonly onError: (error: unknown) => void;
  private started = 0;
  private syncing: Promise<void> | undefined;

  constructor(handle: FileHandle, onError: (error: unknown) => void) {
    this.handle = handle;
    this.onError = onError;
  }

  /** Starts a sync if many bytes were written since the last one. @param end of the file */
  start(end: number): void {
    if (this.syncing === undefined && end - this.started >= SYNC_BYTES) {
      this.started = end;
      this.syncing = this.handle
        .sync()
        .catch(this.onError)
        .finally(() => {
          this.syncing = undefined;
        });
    }
  }

  /** Waits for a running sync. */
  async finish(): Promise<void> {
    await this.syncing;
  }
}

/** Opens a file that has at least `kept` bytes, and removes the others. */
async function openKept(path: string, kept: number): Promise<FileHandle> {
  const handle = await nodeFiles().open(path, "r+");
  try {
    const { size } = await handle.stat();
    if (size < kept) {
      const details = { path, field: "file size", expected: kept, actual: size };
      throw new CFileError("E_TRUNCATED", `${CANNOT_WRITE}: it has fewer bytes than are kept`, details);
    }
    await handle.truncate(kept);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function existingFile(path: string): Promise<Stats | undefined> {
  const existing = await unless("ENOENT", nodeFiles().stat(path));
  if (existing?.isFile() === false) {
    const kind = existing.isDirectory() ? "a directory" : "not a regular file";
    throw new CFileError("E_IO", `${CANNOT_WRITE}: it is ${kind}`, { path });
  }
  return existing;
}
