/** Files that are opened when they are read. A limited number of idle files stays open. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { type ByteSource, type FileTree, memorySource, readExactly, sizeOf } from "@cfile/io";

import { type PlainFile, plainFile } from "./encryption.js";

const MAX_IDLE = 128;

interface OpenFile {
  readonly opening: Promise<{ readonly stored: ByteSource; readonly plain: PlainFile }>;
  users: number;
  /** Whether to close the file when its last user is done. */
  stale: boolean;
}

/** The location of a file or folder. */
export interface FilePlace {
  readonly tree: FileTree;
  readonly path: string;
}

/** A decrypted file in memory. */
export interface WholeFile {
  readonly bytes: Uint8Array;
  /** Where its content starts: after the header of an encrypted file. */
  readonly start: number;
}

/** The full path of a place, for errors and display. */
export function placeName({ tree, path }: FilePlace): string {
  return path === "" ? tree.name : `${tree.name}/${path}`;
}

/** Names of the files in a folder; empty if the folder is missing. */
export async function fileNamesIn({ tree, path }: FilePlace): Promise<readonly string[]> {
  try {
    return (await tree.list(path)).filter(({ kind }) => kind === "file").map(({ name }) => name);
  } catch (error) {
    if (isCFileError(error, "E_NOT_FOUND")) {
      return [];
    }
    throw error;
  }
}

export class FilePool {
  private readonly serverKey: Uint8Array | undefined;
  /** Most recently used last. */
  private readonly files = new Map<string, OpenFile>();

  constructor(serverKey: Uint8Array | undefined) {
    this.serverKey = serverKey;
  }

  /** The decrypted content of a block's file, without the encryption header. */
  content(place: FilePlace, name: string): ByteSource {
    return this.blockSource(place, name, ({ start }) => start);
  }

  /** A decrypted file of blocks, with offsets as on disk. */
  source(place: FilePlace): ByteSource {
    return this.blockSource(place, placeName(place), () => 0);
  }

  /**
   * A whole decrypted file, and where its content starts. It does not stay open: a server has many small files.
   *
   * @throws {CFileError} `E_LIMIT` if it is larger than `maxSize` bytes
   */
  readWhole(place: FilePlace, field: string, maxSize: number): Promise<WholeFile> {
    return twice(async () => {
      const stored = await place.tree.openSource(place.path);
      try {
        const size = await sizeOf(stored);
        if (size > maxSize) {
          const details = { path: placeName(place), field: "file size" };
          throw new CFileError("E_LIMIT", `${field} of ${size} bytes (maximum ${maxSize})`, details);
        }
        const bytes = await readExactly(stored, 0, size, { field });
        const { source, start } = await plainFile(memorySource(bytes, stored.name), this.serverKey);
        return { bytes: start === 0 ? bytes : await readExactly(source, 0, size, { field }), start };
      } finally {
        await stored.close?.();
      }
    });
  }

  /** Runs `action` with an open file. A file that has grown, as on a running server, is reopened once. */
  use<T>(place: FilePlace, action: (file: PlainFile) => Promise<T>): Promise<T> {
    return twice(() => this.useOnce(place, action));
  }

  async close(): Promise<void> {
    const files = [...this.files.values()];
    this.files.clear();
    await Promise.all(files.map(closeFile));
  }

  /** Reopens all files at the next read: a name may now refer to another file. */
  async renew(): Promise<void> {
    for (const [key, file] of [...this.files]) {
      await this.retire(key, file);
    }
  }

  /** Closing the source does nothing. Reading it throws `E_BLOCK_MISSING` if the file is missing. */
  private blockSource(place: FilePlace, name: string, startOf: (file: PlainFile) => number): ByteSource {
    const use = async <T>(action: (file: PlainFile) => Promise<T>): Promise<T> => {
      try {
        return await this.use(place, action);
      } catch (cause) {
        throw isCFileError(cause, "E_NOT_FOUND")
          ? new CFileError("E_BLOCK_MISSING", cause.reason, { path: cause.path, field: cause.field, cause })
          : cause;
      }
    };
    return {
      name,
      size: (options) => use(async (file) => (await file.source.size(options)) - startOf(file)),
      read: (offset, length, options) =>
        use((file) => file.source.read(startOf(file) + offset, length, options)),
    };
  }

  private async useOnce<T>(place: FilePlace, action: (file: PlainFile) => Promise<T>): Promise<T> {
    const key = placeName(place);
    const file = this.files.get(key) ?? { opening: this.open(place), users: 0, stale: false };
    this.files.delete(key);
    this.files.set(key, file);
    file.users++;
    try {
      const { plain } = await file.opening;
      return await action(plain);
    } catch (error) {
      // The file may have changed or been missing: the next read reopens it.
      await this.retire(key, file);
      throw error;
    } finally {
      file.users--;
      if (file.stale && file.users === 0) {
        await closeFile(file);
      }
      await this.closeIdle();
    }
  }

  private async open({ tree, path }: FilePlace): Promise<{ stored: ByteSource; plain: PlainFile }> {
    const stored = await tree.openSource(path);
    try {
      return { stored, plain: await plainFile(stored, this.serverKey) };
    } catch (error) {
      await stored.close?.();
      throw error;
    }
  }

  private async closeIdle(): Promise<void> {
    for (const [key, file] of this.files) {
      if (this.files.size <= MAX_IDLE) {
        return;
      }
      if (file.users === 0) {
        await this.retire(key, file);
      }
    }
  }

  private async retire(key: string, file: OpenFile): Promise<void> {
    if (this.files.get(key) === file) {
      this.files.delete(key);
    }
    file.stale = true;
    if (file.users === 0) {
      await closeFile(file);
    }
  }
}

/** The result of `read`, which is repeated once if the file changes meanwhile. */
async function twice<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isCFileError(error, "E_SOURCE_CHANGED")) {
      throw error;
    }
    return read();
  }
}

async function closeFile(file: OpenFile): Promise<void> {
  const opened = await file.opening.catch(() => undefined);
  await opened?.stored.close?.();
}
