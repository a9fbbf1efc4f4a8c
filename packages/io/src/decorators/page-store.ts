/** Where `withCache` keeps pages beyond its own memory, perhaps from one visit to the next. */
import { RecentPages } from "./recent-pages.js";

/** The bytes of a page: file, version, offset and length. */
export interface PageKey {
  /** The source's name. */
  readonly name: string;
  /** Distinguishes the file from others that had the same name; pages of files without a version are not stored. */
  readonly version: string;
  readonly offset: number;
  /** Bytes of the page. */
  readonly length: number;
}

/**
 * A store may drop pages at any time. Its pages are not verified: a store that others can write to must check them. A call
 * that fails counts as a missing page; it does not fail the read.
 */
export interface PageStore {
  /** The page, or `undefined` when it is not there. */
  get(key: PageKey): Promise<Uint8Array | undefined>;
  /** Keeps a page. Failures are ignored: the page is then fetched again. */
  set(key: PageKey, bytes: Uint8Array): Promise<void>;
}

/** The key as text. */
function pageName({ name, version, offset, length }: PageKey): string {
  return JSON.stringify([name, version, offset, length]);
}

/**
 * The key as a file name for any file system: 128 bits of a hash.
 *
 * @throws what `crypto.subtle` throws, which needs a secure context
 */
export async function pageDigest(key: PageKey): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pageName(key)));
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Pages in memory, shared by several sources; the least recently used go first. */
export function memoryStore(maxBytes: number): PageStore {
  const pages = new RecentPages<string>(maxBytes);
  return {
    get: async (key) => pages.get(pageName(key)),
    // A view would keep the memory of its neighbours.
    set: async (key, bytes) =>
      pages.set(pageName(key), bytes.length === bytes.buffer.byteLength ? bytes : bytes.slice()),
  };
}
