/** Pages in a browser's origin private file system: they outlive the page and the browser. */
import { type PageStore, pageDigest } from "../decorators/page-store.js";
import { sharedRequest } from "../source/shared-request.js";

/** The folder that stores the pages, and its maximum size. */
export interface OpfsStoreOptions {
  /** Folder of the origin private file system. Default `"cfile-pages"`. */
  readonly folder?: string | undefined;
  /** Maximum number of bytes; the oldest pages are removed first. Default 256 MiB. */
  readonly bytes?: number | undefined;
  /** Replaces the folder. */
  readonly directory?: FileSystemDirectoryHandle | undefined;
}

/**
 * A store for `withCache`. The folder is opened for the first page. If the browser has no such file system, or refuses it, the
 * store is always empty.
 */
export function opfsStore(options: OpfsStoreOptions = {}): PageStore {
  const { folder: name = "cfile-pages", bytes: budget = 256 * 1024 * 1024, directory } = options;
  /** Size of each file, oldest first. */
  const sizes = new Map<string, number>();
  let held = 0;
  /** One write at a time, so that the budget holds. */
  let lastWrite: Promise<void> = Promise.resolve();

  const list = async (): Promise<FileSystemDirectoryHandle> => {
    const folder =
      directory ??
      (await (await navigator.storage.getDirectory()).getDirectoryHandle(name, { create: true }));
    const files: File[] = [];
    for await (const entry of folder.values()) {
      if (entry instanceof Object && "getFile" in entry) {
        files.push(await entry.getFile());
      }
    }
    sizes.clear();
    held = 0;
    for (const file of files.sort((a, b) => a.lastModified - b.lastModified)) {
      sizes.set(file.name, file.size);
      held += file.size;
    }
    return folder;
  };
  const open = sharedRequest(list);
  const write = async (file: string, bytes: Uint8Array): Promise<void> => {
    const folder = await open(undefined);
    if (bytes.length > budget || sizes.has(file)) {
      return;
    }
    for (const [oldest, size] of sizes) {
      if (held + bytes.length <= budget) {
        break;
      }
      await folder.removeEntry(oldest);
      sizes.delete(oldest);
      held -= size;
    }
    // The content appears all at once, when the stream is closed.
    const stream = await (await folder.getFileHandle(file, { create: true })).createWritable();
    await stream.write(new Uint8Array(bytes));
    await stream.close();
    sizes.set(file, bytes.length);
    held += bytes.length;
  };
  return {
    get: async (key) => {
      const file = await pageDigest(key);
      const folder = await open(undefined);
      if (!sizes.has(file)) {
        return undefined;
      }
      return new Uint8Array(await (await (await folder.getFileHandle(file)).getFile()).arrayBuffer());
    },
    set: async (key, bytes) => {
      const file = await pageDigest(key);
      const writing = lastWrite.then(() => write(file, bytes));
      lastWrite = writing.catch(() => undefined);
      return writing;
    },
  };
}
