/** Files that are opened when something of them is read; of those that nobody reads only some stay open. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { type ByteSource, type FileTree, type ReadOptions, sizeOf } from "@cfile/io";

import { type PlainFile, plainFile } from "./encryption.js";

const MOST_IDLE = 128;

interface OpenFile {
  readonly opening: Promise<{ readonly stored: ByteSource; readonly plain: PlainFile }>;
  users: number;
  /** Whether it is to be closed when nobody reads it. */
  stale: boolean;
}

/** Where a file is. */
export interface FilePlace {
  readonly tree: FileTree;
  readonly path: string;
}

/** The whole of a place, for people. */
export function placeName({ tree, path }: FilePlace): string {
  return path === "" ? tree.name : `${tree.name}/${path}`;
}

export class FilePool {
  private readonly serverKey: Uint8Array | undefined;
  /** Those used last are at the end. */
  private readonly files = new Map<string, OpenFile>();

  constructor(serverKey: Uint8Array | undefined) {
    this.serverKey = serverKey;
  }

  /** The content of a block's file, decrypted, without the header of an encrypted file. */
  content(place: FilePlace, name: string): ByteSource {
    return {
      name,
      size: () => this.useBlocks(place, async ({ source, start }) => (await sizeOf(source)) - start),
      read: (offset, length, options) =>
        this.useBlocks(place, ({ source, start }) => source.read(start + offset, length, options)),
    };
  }

  /** A file of blocks, decrypted, with offsets as on disk. Closing it does nothing. */
  source(place: FilePlace): ByteSource {
    return {
      name: placeName(place),
      size: (options?: ReadOptions) => this.useBlocks(place, ({ source }) => source.size(options)),
      read: (offset, length, options) =>
        this.useBlocks(place, ({ source }) => source.read(offset, length, options)),
    };
  }

  /** @throws CFileError `E_BLOCK_MISSING` when the file is not there */
  private async useBlocks<T>(place: FilePlace, action: (file: PlainFile) => Promise<T>): Promise<T> {
    try {
      return await this.use(place, action);
    } catch (cause) {
      throw isCFileError(cause, "E_NOT_FOUND")
        ? new CFileError("E_BLOCK_MISSING", cause.reason, { path: cause.path, field: cause.field, cause })
        : cause;
    }
  }

  /** A file that grew since it was opened, as those of a running server do, is opened anew, once. */
  async use<T>(place: FilePlace, action: (file: PlainFile) => Promise<T>): Promise<T> {
    try {
      return await this.useOnce(place, action);
    } catch (error) {
      if (!isCFileError(error, "E_SOURCE_CHANGED")) {
        throw error;
      }
      return this.useOnce(place, action);
    }
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
      // A file that changed, or was not there, is opened anew the next time.
      if (this.files.get(key) === file) {
        this.files.delete(key);
      }
      file.stale = true;
      throw error;
    } finally {
      file.users--;
      if (file.stale && file.users === 0) {
        await closeFile(file);
      }
      await this.closeIdle();
    }
  }

  async close(): Promise<void> {
    const files = [...this.files.values()];
    this.files.clear();
    await Promise.all(files.map(closeFile));
  }

  /** Opens all files, or only one, anew when they are read the next time: under a name there may be another file now. */
  async renew(only?: FilePlace): Promise<void> {
    const files = [...this.files].filter(([key]) => only === undefined || key === placeName(only));
    for (const [key, file] of files) {
      this.files.delete(key);
      file.stale = true;
      if (file.users === 0) {
        await closeFile(file);
      }
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
      if (this.files.size <= MOST_IDLE) {
        return;
      }
      if (file.users === 0) {
        this.files.delete(key);
        await closeFile(file);
      }
    }
  }
}

async function closeFile(file: OpenFile): Promise<void> {
  const opened = await file.opening.catch(() => undefined);
  await opened?.stored.close?.();
}
