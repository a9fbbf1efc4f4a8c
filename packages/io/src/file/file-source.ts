import { CFileError } from "@cfile/bytes";
import { type ByteSource, checkRead, memoryFor, plainBytes } from "../source/byte-source.js";
import { fileError, nodeModule, pathOf } from "./node-files.js";
import { OpenFile } from "./open-file.js";
import { SystemCalls } from "./system-calls.js";

/** Options for reading a file on disk. */
export interface FileSourceOptions {
  /**
   * Whether reading blocks the thread, in a tree also opening and listing, while it is as fast as from the system's cache: handing such a
   * call to another thread takes longer than the call. At least once in 20 ms, the thread handles other events, such as messages. For
   * threads without other work. Default `false`.
   */
  readonly blocking?: boolean | undefined;
}

/** Short reads leave their bytes in the core's cache, for the thread that decodes them next. */
const BLOCKING_CHUNK_BYTES = 256 * 1024;
/**
 * A file on disk, by path or `file:` URL. Each read also checks that the file has not changed since it was opened.
 *
 * @throws {CFileError} `E_NOT_FOUND`: no such file; `E_IO`: it cannot be read or is not a regular file. Reads also throw
 *   `E_SOURCE_CHANGED` when size or modification time changed
 */
export async function fileSource(
  location: string | URL,
  options: FileSourceOptions = {},
): Promise<ByteSource> {
  return openFile(pathOf(location), 0, new SystemCalls(options.blocking ?? false));
}

/**
 * As {@link fileSource}.
 *
 * @param flags additional flags of the system call that opens the file
 */
export async function openFile(path: string, flags: number, calls: SystemCalls): Promise<ByteSource> {
  const { constants } = nodeModule("node:fs");
  let file: OpenFile | undefined;
  try {
    // Without O_NONBLOCK, opening a pipe waits for its writer. Windows has no such flag.
    file = await OpenFile.open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | flags, calls);
    return sourceOf(path, file, calls);
  } catch (error) {
    await file?.close();
    throw fileError(error, path, "cannot open the file");
  }
}

/** Synchronous: the state of an open file is in memory, and a round trip to a thread takes longer than many reads. */
function stateOf(fd: number, path: string): { readonly size: number; readonly modified: bigint } {
  const stat = nodeModule("node:fs").fstatSync(fd, { bigint: true });
  if (!stat.isFile()) {
    const kind = stat.isDirectory() ? "a directory" : "not a regular file";
    throw new CFileError("E_IO", `cannot read the file: it is ${kind}`, { path });
  }
  return { size: Number(stat.size), modified: stat.mtimeNs };
}

/** Fills `bytes`, from index `start` on, with those at a position of the file; returns their number. */
type ReadInto = (bytes: Uint8Array, start: number, position: number) => number | Promise<number>;

function readsOf(fd: number, calls: SystemCalls): ReadInto {
  const { read, readSync } = nodeModule("node:fs");
  return (bytes, start, position) => {
    const length = bytes.length - start;
    return calls.call(
      () => readSync(fd, bytes, start, length, position),
      (done) => read(fd, bytes, start, length, position, done),
      length,
    );
  };
}

function sourceOf(path: string, file: OpenFile, calls: SystemCalls): ByteSource {
  const readInto = readsOf(file.fd, calls);
  const opened = stateOf(file.fd, path);
  return {
    name: path,
    chunkBytes: calls.mayBlock ? BLOCKING_CHUNK_BYTES : undefined,
    size: () => Promise.resolve(opened.size),
    /** The modification time in nanoseconds since 1970. */
    version: () => Promise.resolve(String(opened.modified)),
    read: async (offset, length, { signal, target } = {}) => {
      checkRead(offset, length, signal);
      try {
        return await file.use(async (fd) => {
          const bytes = memoryFor(Math.max(0, Math.min(length, opened.size - offset)), target, unwritten);
          let done = 0;
          while (done < bytes.length) {
            signal?.throwIfAborted();
            const count = await readInto(bytes, done, offset + done);
            if (count === 0) {
              break;
            }
            done += count;
          }
          const { size, modified } = stateOf(fd, path);
          if (size !== opened.size || modified !== opened.modified) {
            const details = { path, field: "file size", expected: opened.size, actual: size };
            throw new CFileError("E_SOURCE_CHANGED", "the file changed while it was being read", details);
          }
          return bytes.subarray(0, done);
        });
      } catch (error) {
        throw signal?.aborted === true ? signal.reason : fileError(error, path, "cannot read the file");
      }
    },
    close: () => file.close(),
  };
}

/**
 * New memory that the read fills. Nothing clears it first, so that the system hands out its pages on the reading thread, not on this
 * one.
 */
function unwritten(length: number): Uint8Array {
  return plainBytes(nodeModule("node:buffer").Buffer.allocUnsafeSlow(length));
}
