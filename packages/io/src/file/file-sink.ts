import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { CFileError, invalidArgument, toHex } from "@cfile/bytes";
import { type ByteSink, orderedSink } from "../sink/byte-sink.js";
import { fileError, nodeModule, pathOf, syncFolder } from "./node-files.js";

const CANNOT_BE_WRITTEN = "the file cannot be written";

/** How a file on a disk is written. */
export interface FileSinkOptions {
  /**
   * Whether `close` waits until bytes and name are on the disk. Without, a power cut soon after may leave an empty or half
   * a file under the name. Default `true`.
   */
  readonly sync?: boolean | undefined;
  /** Name of the temporary file, which must not be there. Default: `.cfile-` and 16 hexadecimal digits, `.tmp`. */
  readonly temporaryName?: string | undefined;
}

/**
 * A file that appears complete or not at all: bytes go to a temporary file beside it; `close` brings them to the disk
 * and gives the file its name, replacing one that was there, whose permissions are kept; `abort`, and a failure of
 * `close`, remove it. After a failed `write` the file can only be aborted; `close` does that and fails.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such directory; `E_IO`: the file cannot be written (`reason` says why)
 */
export async function fileSink(
  location: string | URL,
  { sync = true, temporaryName = newName() }: FileSinkOptions = {},
): Promise<ByteSink> {
  const name = pathOf(location);
  if (name === "") {
    throw invalidArgument("an empty path names no file", { field: "path" });
  }
  const { open, realpath } = nodeModule("node:fs/promises");
  const { dirname, join } = nodeModule("node:path");
  try {
    const existing = await existingFile(name);
    // Behind a symbolic link, so that the link stays one.
    const path = existing === undefined ? name : await realpath(name);
    const temporary = join(dirname(path), temporaryName);
    const handle = await open(temporary, "wx");
    if (existing !== undefined) {
      // Not every file system has permissions.
      await handle.chmod(existing.mode & 0o777).catch(() => undefined);
    }
    return orderedSink(new TemporaryFile(name, { path, temporary, handle, sync }));
  } catch (error) {
    throw fileError(error, name, CANNOT_BE_WRITTEN);
  }
}

function newName(): string {
  return `.cfile-${toHex(crypto.getRandomValues(new Uint8Array(8)))}.tmp`;
}

async function existingFile(path: string): Promise<Stats | undefined> {
  let existing: Stats;
  try {
    existing = await nodeModule("node:fs/promises").stat(path);
  } catch (error) {
    const failure = fileError(error, path, CANNOT_BE_WRITTEN);
    if (failure.code === "E_NOT_FOUND") {
      return undefined;
    }
    throw failure;
  }
  if (!existing.isFile()) {
    const kind = existing.isDirectory() ? "a directory" : "no regular file";
    throw new CFileError("E_IO", `${CANNOT_BE_WRITTEN}: it is ${kind}`, { path });
  }
  return existing;
}

interface Target {
  /** Where the file is to appear. */
  readonly path: string;
  /** Path of the temporary file. */
  readonly temporary: string;
  /** Of the temporary file. */
  readonly handle: FileHandle;
  readonly sync: boolean;
}

class TemporaryFile implements ByteSink {
  readonly name: string;
  private readonly target: Target;
  /** After a failed write, a part of its bytes may be in the file. */
  private failure: CFileError | undefined;

  constructor(name: string, target: Target) {
    this.name = name;
    this.target = target;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.requireComplete();
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.target.handle.write(bytes, done, bytes.length - done);
        if (bytesWritten === 0) {
          throw new CFileError("E_IO", `${CANNOT_BE_WRITTEN}: nothing is taken any more`, {
            path: this.name,
          });
        }
        done += bytesWritten;
      }
    } catch (error) {
      this.failure = fileError(error, this.name, CANNOT_BE_WRITTEN);
      throw this.failure;
    }
  }

  async close(): Promise<void> {
    const { path, temporary, handle, sync } = this.target;
    try {
      this.requireComplete();
      if (sync) {
        await handle.sync();
      }
      await handle.close();
      await nodeModule("node:fs/promises").rename(temporary, path);
    } catch (error) {
      await this.remove().catch(() => undefined);
      throw fileError(error, this.name, "the file cannot be completed");
    }
    if (sync) {
      await syncFolder(nodeModule("node:path").dirname(path));
    }
  }

  async abort(): Promise<void> {
    try {
      await this.remove();
    } catch (error) {
      throw fileError(error, this.name, `the temporary file ${this.target.temporary} cannot be removed`);
    }
  }

  private requireComplete(): void {
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  private async remove(): Promise<void> {
    const { temporary, handle } = this.target;
    await handle.close().catch(() => undefined);
    await nodeModule("node:fs/promises").rm(temporary, { force: true });
  }
}
