import type { FileHandle } from "node:fs/promises";
import { CFileError, invalidArgument } from "@cfile/bytes";
import type { ByteSink } from "./byte-sink.js";
import { fileError, nodeModule, pathOf } from "./node-files.js";

/**
 * A file that appears complete or not at all: bytes go to a temporary file beside it; `close` brings them to the disk
 * and gives the file its name, replacing one that was there; `abort`, and a failure of `close`, remove it.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such directory; `E_IO`: the file cannot be written (`reason` says why)
 */
export async function fileSink(location: string | URL): Promise<ByteSink> {
  const path = pathOf(location);
  const { open, stat } = nodeModule("node:fs/promises");
  const { basename, dirname, join } = nodeModule("node:path");
  const temporary = join(dirname(path), `.${basename(path)}.${randomSuffix()}.tmp`);
  let handle: FileHandle;
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing?.isDirectory()) {
      throw new CFileError("E_IO", "the file cannot be written: it is a directory", { path });
    }
    handle = await open(temporary, "wx");
  } catch (error) {
    throw error instanceof CFileError ? error : fileError(error, path, "the file cannot be written");
  }
  return new FileSink(path, temporary, handle);
}

function randomSuffix(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(6)), (byte) =>
    byte.toString(16).padStart(2, "0"),
  ).join("");
}

class FileSink implements ByteSink {
  readonly name: string;
  private readonly temporary: string;
  private readonly handle: FileHandle;
  private state: "open" | "closed" | "aborted" = "open";

  constructor(name: string, temporary: string, handle: FileHandle) {
    this.name = name;
    this.temporary = temporary;
    this.handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.requireOpen();
    try {
      for (let done = 0; done < bytes.length; ) {
        const { bytesWritten } = await this.handle.write(bytes, done, bytes.length - done);
        done += bytesWritten;
      }
    } catch (error) {
      throw fileError(error, this.name, "the file cannot be written");
    }
  }

  async close(): Promise<void> {
    this.requireOpen();
    this.state = "closed";
    try {
      await this.handle.sync();
      await this.handle.close();
      await nodeModule("node:fs/promises").rename(this.temporary, this.name);
    } catch (error) {
      await this.remove();
      throw fileError(error, this.name, "the file cannot be completed");
    }
    await this.syncDirectory();
  }

  async abort(): Promise<void> {
    if (this.state === "open") {
      this.state = "aborted";
      await this.remove();
    }
  }

  private requireOpen(): void {
    if (this.state !== "open") {
      throw invalidArgument(`the sink is ${this.state}`, { path: this.name });
    }
  }

  private async remove(): Promise<void> {
    await this.handle.close().catch(() => undefined);
    await nodeModule("node:fs/promises").rm(this.temporary, { force: true });
  }

  /** The new name survives a power cut only when the directory is on the disk; not every system can do that. */
  private async syncDirectory(): Promise<void> {
    const { dirname } = nodeModule("node:path");
    try {
      const directory = await nodeModule("node:fs/promises").open(dirname(this.name), "r");
      try {
        await directory.sync();
      } finally {
        await directory.close();
      }
    } catch {
      return;
    }
  }
}
