/** Stores for pages of `withCache` beyond its own memory, possibly across visits. */
import { toHex } from "@cfile/bytes";

/** Identifies a page. */
export interface PageKey {
  /** Name of the source. */
  readonly name: string;
  /** Distinguishes the file from others of the same name; pages of files without a version are not stored. */
  readonly version: string;
  readonly offset: number;
  /** In bytes. */
  readonly length: number;
}

/**
 * A store may drop pages at any time. Pages are not verified: a store that others can write to must check them. A call that fails
 * counts as a missing page; it does not fail the read.
 */
export interface PageStore {
  /** The page, or `undefined` if it is not stored. */
  get(key: PageKey): Promise<Uint8Array | undefined>;
  /** Stores a page. Failures are ignored: the page is then fetched again. */
  set(key: PageKey, bytes: Uint8Array): Promise<void>;
}

function pageName({ name, version, offset, length }: PageKey): string {
  return JSON.stringify([name, version, offset, length]);
}

/** The key as a file name for any file system: 128 bits of a hash. Fails outside a secure context. */
export async function pageDigest(key: PageKey): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pageName(key)));
  return toHex(new Uint8Array(digest, 0, 16));
}

/** Pages in memory up to a number of bytes; evicts them in order of last use. */
export function recentPages<K>(budget: number) {
  /** In order of last use. */
  const pages = new Map<K, Uint8Array>();
  let held = 0;
  return {
    get: (key: K): Uint8Array | undefined => {
      const page = pages.get(key);
      if (page !== undefined) {
        pages.delete(key);
        pages.set(key, page);
      }
      return page;
    },
    set: (key: K, page: Uint8Array): void => {
      if (page.buffer.byteLength > budget) {
        return;
      }
      held += page.buffer.byteLength - (pages.get(key)?.buffer.byteLength ?? 0);
      pages.delete(key);
      pages.set(key, page);
      for (const [oldest, { buffer }] of pages) {
        if (held <= budget) {
          break;
        }
        pages.delete(oldest);
        held -= buffer.byteLength;
      }
    },
    clear: (): void => {
      pages.clear();
      held = 0;
    },
  };
}

/** A store in memory, which several sources can share; evicts pages in order of last use. */
export function memoryStore(maxBytes: number): PageStore {
  const pages = recentPages<string>(maxBytes);
  return {
    get: async (key) => pages.get(pageName(key)),
    // A view would retain the memory of its neighbors.
    set: async (key, bytes) =>
      pages.set(pageName(key), bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()),
  };
}
