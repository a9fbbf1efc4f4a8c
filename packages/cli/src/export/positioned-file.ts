/** Writes ranges of an existing file. Calls block, which takes less processor time than handing them to other threads. */
import { closeSync, fsync, openSync, readSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { CFileError, isCFileError } from "@cfile/bytes";

/** Maximum bytes of a write, as in `fileSink`, and of a read. */
const PIECE_BYTES = 256 * 1024;
/** Number of written bytes after which a sync is started. */
const SYNC_BYTES = 64 << 20;

/** Methods throw `E_IO`. */
export class PositionedFile {
  readonly path: string;
  private fd: number | undefined;
  /** Bytes written since the start of the last sync. */
  private unsynced = 0;
  private syncing: Promise<void> | undefined;
  /** The error of a sync, which the system does not report to later ones. */
  private failure: CFileError | undefined;

  /** The file is opened when it is used. */
  constructor(path: string) {
    this.path = path;
  }

  /** Writes bytes, and starts to sync the file from time to time, so that a sync at the end is short. */
  write(bytes: Uint8Array, position: number): void {
    this.access("write", (fd) => {
      const done = inPieces(bytes.length, (from, length) =>
        writeSync(fd, bytes, from, length, position + from),
      );
      if (done < bytes.length) {
        const reason = "cannot write the file: the system accepts no more bytes";
        throw new CFileError("E_IO", reason, { path: this.path });
      }
      this.unsynced += bytes.length;
      if (this.syncing === undefined && this.unsynced >= SYNC_BYTES) {
        this.unsynced = 0;
        this.syncing = this.sync(fd);
      }
    });
  }

  /** Fills `bytes`, which were written before. @throws {CFileError} `E_TRUNCATED` if the file has become shorter */
  read(bytes: Uint8Array, position: number): void {
    this.access("read", (fd) => {
      const done = inPieces(bytes.length, (from, length) =>
        readSync(fd, bytes, from, length, position + from),
      );
      if (done < bytes.length) {
        const details = { path: this.path, expected: position + bytes.length, actual: position + done };
        throw new CFileError("E_TRUNCATED", "the file has become shorter", {
          field: "file size",
          ...details,
        });
      }
    });
  }

  /** Waits for the sync that is running. @throws {CFileError} `E_IO` if this or an earlier one failed */
  async settle(): Promise<void> {
    await this.syncing;
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  async close(): Promise<void> {
    await this.syncing;
    if (this.fd !== undefined) {
      closeSync(this.fd);
      this.fd = undefined;
    }
  }

  private async sync(fd: number): Promise<void> {
    try {
      await promisify(fsync)(fd);
    } catch (cause) {
      this.failure ??= this.failed("sync", cause);
    }
    this.syncing = undefined;
  }

  private access(what: "read" | "write", action: (fd: number) => void): void {
    try {
      this.fd ??= openSync(this.path, "r+");
      action(this.fd);
    } catch (cause) {
      throw isCFileError(cause) ? cause : this.failed(what, cause);
    }
  }

  private failed(what: "read" | "write" | "sync", cause: unknown): CFileError {
    const { path } = this;
    return new CFileError("E_IO", `cannot ${what} the file: ${String(cause)}`, { path, cause });
  }
}

/** Transfers bytes until all are done, or the system transfers none. @returns how many are done */
export function inPieces(bytes: number, transfer: (from: number, length: number) => number): number {
  let done = 0;
  for (let count = 1; done < bytes && count > 0; done += count) {
    count = transfer(done, Math.min(PIECE_BYTES, bytes - done));
  }
  return done;
}
