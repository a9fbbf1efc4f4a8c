import type { FileHandle } from "node:fs/promises";
import { CFileError } from "@cfile/bytes";
import { type ByteSource, checkRead, memoryFor, type ReadOptions } from "../source/byte-source.js";
import { fileError, nodeModule, pathOf } from "./node-files.js";

/** Shows whether a file changed since it was opened. */
interface FileState {
  readonly size: number;
  readonly modified: bigint;
}

/**
 * A file on disk, by path or `file:` URL. Each read also checks that the file has not changed since it was opened.
 *
 * @throws CFileError `E_NOT_FOUND`: there is no such file; `E_IO`: it cannot be read or is no regular file; later, from
 *   reads, `E_SOURCE_CHANGED`: its size or modification time changed
 */
export async function fileSource(location: string | URL): Promise<ByteSource> {
  const path = pathOf(location);
  const { constants, open } = nodeModule("node:fs/promises");
  let handle: FileHandle | undefined;
  try {
    // Opening a pipe would wait for its writer; Windows has no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    return new FileSource(path, handle, stateOf(handle, path));
  } catch (error) {
    await handle?.close();
    throw fileError(error, path, "the file cannot be opened");
  }
}

/** Asked at once: of an open file the system knows it, and a thread's answer would take longer than many a read. */
function stateOf({ fd }: FileHandle, path: string): FileState {
  const stat = nodeModule("node:fs").fstatSync(fd, { bigint: true });
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

  /** The modification time in nanoseconds since 1970. */
  version(): Promise<string> {
    return Promise.resolve(String(this.opened.modified));
  }

  async read(offset: number, length: number, { signal, target }: ReadOptions = {}): Promise<Uint8Array> {
    checkRead(offset, length, signal);
    try {
      const wanted = Math.max(0, Math.min(length, this.opened.size - offset));
      const bytes = memoryFor(wanted, target);
      let done = 0;
      while (done < bytes.length) {
        signal?.throwIfAborted();
        const { bytesRead } = await this.handle.read(bytes, done, bytes.length - done, offset + done);
        if (bytesRead === 0) {
          break;
        }
        done += bytesRead;
      }
      this.checkUnchanged();
      return bytes.subarray(0, done);
    } catch (error) {
      throw signal?.aborted === true ? signal.reason : fileError(error, this.name, "the file cannot be read");
    }
  }

  async close(): Promise<void> {
    await this.handle.close();
  }

  private checkUnchanged(): void {
    const { size, modified } = stateOf(this.handle, this.name);
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
