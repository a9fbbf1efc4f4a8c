/** A folder on disk where there are files: Node, Deno and Bun. */
import { CFileError } from "@cfile/bytes";
import { type ByteDirectory, checkFileName, type DirectoryLock } from "../directory/byte-directory.js";
import type { ByteSink } from "../sink/byte-sink.js";
import type { ByteSource } from "../source/byte-source.js";
import { takeFileLock } from "./file-lock.js";
import { fileSink } from "./file-sink.js";
import { fileSource } from "./file-source.js";
import { fileError, nodeModule, pathOf, syncFolder } from "./node-files.js";

/** How a folder on a disk is used. */
export interface FileDirectoryOptions {
  /** Whether the folder, and those above it, are made when they are not there. Default `false`. */
  readonly create?: boolean | undefined;
  /** Whether what is written and renamed is on the disk when that is done; see `FileSinkOptions`. Default `true`. */
  readonly sync?: boolean | undefined;
}

/**
 * The folder at a path or `file:` URL.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such folder; `E_IO`: it is none, or cannot be made; `E_UNSUPPORTED`: there are no
 *   files here
 */
export async function fileDirectory(
  location: string | URL,
  { create = false, sync = true }: FileDirectoryOptions = {},
): Promise<ByteDirectory> {
  const path = pathOf(location);
  const { mkdir, stat } = nodeModule("node:fs/promises");
  try {
    if (create) {
      await mkdir(path, { recursive: true });
    }
    if (!(await stat(path)).isDirectory()) {
      throw new CFileError("E_IO", "the directory cannot be opened: it is none", { path });
    }
  } catch (error) {
    throw fileError(error, path, "the directory cannot be opened");
  }
  return new FileDirectory(path, sync);
}

class FileDirectory implements ByteDirectory {
  readonly name: string;

  private readonly syncs: boolean;

  constructor(name: string, syncs: boolean) {
    this.name = name;
    this.syncs = syncs;
  }

  async list(): Promise<readonly string[]> {
    return this.attempt("the directory cannot be listed", this.name, async () => {
      const entries = await nodeModule("node:fs/promises").readdir(this.name, { withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    });
  }

  async openSource(file: string): Promise<ByteSource> {
    return fileSource(this.path(file));
  }

  async createSink(file: string): Promise<ByteSink> {
    return fileSink(this.path(file), { sync: this.syncs });
  }

  async sync(): Promise<void> {
    if (this.syncs) {
      await syncFolder(this.name);
    }
  }

  async rename(from: string, to: string): Promise<void> {
    const [source, target] = [this.path(from), this.path(to)];
    return this.attempt("the file cannot be renamed", source, () =>
      nodeModule("node:fs/promises").rename(source, target),
    );
  }

  async remove(file: string): Promise<void> {
    const path = this.path(file);
    return this.attempt("the file cannot be removed", path, () =>
      nodeModule("node:fs/promises").rm(path, { force: true }),
    );
  }

  lock(file: string): Promise<DirectoryLock> {
    return takeFileLock(this.path(file), this.path(`.cfile-${file}.tmp`));
  }

  private path(file: string): string {
    return nodeModule("node:path").join(this.name, checkFileName(file));
  }

  private async attempt<T>(action: string, path: string, step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      throw fileError(error, path, action);
    }
  }
}
