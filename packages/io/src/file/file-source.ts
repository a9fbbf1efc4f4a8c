import type { FileHandle } from "node:fs/promises";
import { CFileError } from "@cfile/bytes";
import { type ByteSource, checkRead, memoryFor, plainBytes } from "../source/byte-source.js";
import { fileError, nodeFiles, nodeModule, pathOf } from "./node-files.js";

/**
 * A file on disk, by path or `file:` URL. Each read also checks that the file has not changed since it was opened.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no such file; `E_IO`: it cannot be read or is not a regular file. Reads also throw
 *   `E_SOURCE_CHANGED` when size or modification time changed
 */
export async function fileSource(location: string | URL): Promise<ByteSource> {
  return openFile(pathOf(location), 0);
}

/**
 * As {@link fileSource}.
 *
 * @param flags additional flags of the system call that opens the file
 */
export async function openFile(path: string, flags: number): Promise<ByteSource> {
  const { constants, open } = nodeFiles();
  let handle: FileHandle | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for its writer. Windows has no such flag.
    handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags);
    return sourceOf(path, handle);
  } catch (error) {
    await handle?.close();
    throw fileError(error, path, "cannot open the file");
  }
}

/** Synchronous: the state of an open file is in memory, and a round trip to a thread takes longer than many reads. */
function stateOf({ fd }: FileHandle, path: string): { readonly size: number; readonly modified: bigint } {
  const stat = nodeModule("node:fs").fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a directory" : "not a regular file";
    throw new CFileError("E_IO", `cannot read the file: it is ${kind}`, { path });
  }
  return { size: Number(stat.size), modified: stat.mtimeNs };
}

function sourceOf(path: string, handle: FileHandle): ByteSource {
  const opened = stateOf(handle, path);
  return {
    name: path,
    size: () => Promise.resolve(opened.size),
    /** The modification time in nanoseconds since 1970. */
    version: () => Promise.resolve(String(opened.modified)),
    read: async (offset, length, { signal, target } = {}) => {
      checkRead(offset, length, signal);
      try {
        const bytes = memoryFor(Math.max(0, Math.min(length, opened.size - offset)), target, unwritten);
        let done = 0;
        while (done < bytes.length) {
          signal?.throwIfAborted();
          const { bytesRead } = await handle.read(bytes, done, bytes.length - done, offset + done);
          if (bytesRead === 0) {
            break;
          }
          done += bytesRead;
        }
        const { size, modified } = stateOf(handle, path);
        if (size !== opened.size || modified !== opened.modified) {
          const details = { path, field: "file size", expected: opened.size, actual: size };
          throw new CFileError("E_SOURCE_CHANGED", "the file changed while it was being read", details);
        }
        return bytes.subarray(0, done);
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : fileError(error, path, "cannot read the file");
      }
    },
    close: () => handle.close(),
  };
}

/**
 * New memory that the read fills. Nothing clears it first, so that the system hands out its pages on the reading thread, not on this
 * one.
 */
function unwritten(length: number): Uint8Array {
  return plainBytes(nodeModule("node:buffer").Buffer.allocUnsafeSlow(length));
}
