import type { FileHandle } from "node:fs/promises";
import { CFileError } from "@cfile/bytes";
import { type ByteSource, requireRange } from "./byte-source.js";
import { fileError, nodeModule, pathOf } from "./node-files.js";

/** What tells a file from what it was when it was opened. */
interface FileState {
  readonly size: number;
  readonly modified: bigint;
}

/**
 * A file on disk, by path or `file:` URL. Each read also looks whether the file is still what it was when it was opened.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such file; `E_IO`: it cannot be read or is no regular file; later, from
 *   reads, `E_SOURCE_CHANGED`: its size or modification time is another
 */
export async function fileSource(location: string | URL): Promise<ByteSource> {
  const path = pathOf(location);
  let handle: FileHandle;
  try {
    handle = await nodeModule("node:fs/promises").open(path, "r");
  } catch (error) {
    throw error instanceof CFileError ? error : fileError(error, path, "the file cannot be opened");
  }
  try {
    return new FileSource(path, handle, await stateOf(handle, path));
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function stateOf(handle: FileHandle, path: string): Promise<FileState> {
  const stat = await handle.stat({ bigint: true });
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a directory" : "no regular file";
    throw new CFileError("E_IO", `the file cannot be read: it is ${kind}`, { path });
  }
  return { size: Number(stat.size), modified: stat.mtimeNs };
}

class FileSource implements ByteSource {
  readonly name: string;
  private readonly handle: FileHandle;
  private readonly opened: FileState;

  constructor(name: string, handle: FileHandle, opened: FileState) {
    this.name = name;
    this.handle = handle;
    this.opened = opened;
  }

  size(): Promise<number> {
    return Promise.resolve(this.opened.size);
  }

  async read(
    offset: number,
    length: number,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<Uint8Array> {
    requireRange(offset, length);
    const available = Math.max(0, Math.min(length, this.opened.size - offset));
    const bytes = new Uint8Array(available);
    let done = 0;
    try {
      while (done < available) {
        signal?.throwIfAborted();
        const { bytesRead } = await this.handle.read(bytes, done, available - done, offset + done);
        if (bytesRead === 0) {
          break;
        }
        done += bytesRead;
      }
      await this.checkUnchanged();
    } catch (error) {
      if (error instanceof CFileError || (signal?.aborted === true && error === signal.reason)) {
        throw error;
      }
      throw fileError(error, this.name, "the file cannot be read");
    }
    return done === available ? bytes : bytes.subarray(0, done);
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  private async checkUnchanged(): Promise<void> {
    const { size, modified } = await stateOf(this.handle, this.name);
    if (size !== this.opened.size || modified !== this.opened.modified) {
      throw new CFileError("E_SOURCE_CHANGED", "the file was changed while it was read", {
        path: this.name,
        field: "file size",
        expected: this.opened.size,
        actual: size,
      });
    }
  }
}
