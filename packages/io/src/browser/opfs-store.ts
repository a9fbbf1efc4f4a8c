/** Pages in the origin's private file system of a browser: they outlive the page and the browser. */
import { type PageStore, pageDigest } from "../decorators/page-store.js";

/** Which folder of a browser's private file system keeps pages, and how many bytes. */
export interface OpfsStoreOptions {
  /** Folder of the origin's private file system. Default `"cfile-pages"`. */
  readonly folder?: string | undefined;
  /** Maximum bytes kept; the oldest go first. Default 256 MiB. */
  readonly bytes?: number | undefined;
  /** The folder itself, in place of one of the origin's private file system. */
  readonly directory?: FileSystemDirectoryHandle | undefined;
}

const DEFAULT_BYTES = 256 * 1024 * 1024;

/**
 * A store for `withCache`. Nothing is opened before the first page is asked for. Where the browser has no such file system, or
 * refuses it, the store is always empty.
 */
export function opfsStore(options: OpfsStoreOptions = {}): PageStore {
  const store = new OpfsFolder(options);
  return {
    get: async (key) => store.read(await pageDigest(key)),
    set: async (key, bytes) => store.write(await pageDigest(key), bytes),
  };
}

class OpfsFolder {
  private readonly options: OpfsStoreOptions;
  private readonly budget: number;
  private opened: Promise<FileSystemDirectoryHandle> | undefined;
  /** Bytes of each file, oldest first. */
  private readonly sizes = new Map<string, number>();
  private held = 0;
  /** Writes go one after the other, so that the budget holds. */
  private lastWrite: Promise<void> = Promise.resolve();

  constructor(options: OpfsStoreOptions) {
    this.options = options;
    this.budget = options.bytes ?? DEFAULT_BYTES;
  }

  async read(name: string): Promise<Uint8Array | undefined> {
    const folder = await this.open();
    if (!this.sizes.has(name)) {
      return undefined;
    }
    const file = await (await folder.getFileHandle(name)).getFile();
    return new Uint8Array(await file.arrayBuffer());
  }

  write(name: string, bytes: Uint8Array): Promise<void> {
    const writing = this.lastWrite.then(() => this.writeNow(name, bytes));
    this.lastWrite = writing.catch(() => undefined);
    return writing;
  }

  private async writeNow(name: string, bytes: Uint8Array): Promise<void> {
    const folder = await this.open();
    if (bytes.length > this.budget || this.sizes.has(name)) {
      return;
    }
    for (const [oldest, size] of this.sizes) {
      if (this.held + bytes.length <= this.budget) {
        break;
      }
      await folder.removeEntry(oldest);
      this.sizes.delete(oldest);
      this.held -= size;
    }
    // A file shows what was written when it is closed, all at once.
    const file = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await file.write(new Uint8Array(bytes));
    await file.close();
    this.sizes.set(name, bytes.length);
    this.held += bytes.length;
  }

  private open(): Promise<FileSystemDirectoryHandle> {
    this.opened ??= this.list();
    this.opened.catch(() => {
      this.opened = undefined;
    });
    return this.opened;
  }

  private async list(): Promise<FileSystemDirectoryHandle> {
    const { folder = "cfile-pages", directory } = this.options;
    const opened =
      directory ??
      (await (await navigator.storage.getDirectory()).getDirectoryHandle(folder, { create: true }));
    const files: File[] = [];
    for await (const entry of opened.values()) {
      if (entry instanceof Object && "getFile" in entry) {
        files.push(await entry.getFile());
      }
    }
    this.sizes.clear();
    this.held = 0;
    for (const { name, size } of files.sort((a, b) => a.lastModified - b.lastModified)) {
      this.sizes.set(name, size);
      this.held += size;
    }
    return opened;
  }
}
