/** Where `withCache` keeps pages beyond its own memory, perhaps from one visit to the next. */

/** Which bytes a page has: the file, its version, where they lie. */
export interface PageKey {
  /** The source's name. */
  readonly name: string;
  /** What tells the file from others that had the same name; pages of files without a version are not stored. */
  readonly version: string;
  readonly offset: number;
  /** Bytes of the page. */
  readonly length: number;
}

/**
 * A store may forget pages at any time. What it gives is believed: a store that others can write to is to check it. A call
 * that fails counts as a page that is not there; it does not disturb the read.
 */
export interface PageStore {
  get(key: PageKey): Promise<Uint8Array | undefined>;
  set(key: PageKey, bytes: Uint8Array): Promise<void>;
}

/** The key as text. */
export function pageName({ name, version, offset, length }: PageKey): string {
  return JSON.stringify([name, version, offset, length]);
}

/**
 * The key as a name that any file system takes: 128 bits of a hash.
 *
 * @throws what `crypto.subtle` throws, which pages without a secure context do not have
 */
export async function pageDigest(key: PageKey): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(pageName(key)));
  return Array.from(new Uint8Array(digest, 0, 16), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Pages in memory, of many sources together: what was not used for longest goes first. */
export function memoryStore(maxBytes: number): PageStore {
  const pages = new Map<string, Uint8Array>();
  let held = 0;
  return {
    get: async (key) => {
      const name = pageName(key);
      const bytes = pages.get(name);
      if (bytes !== undefined) {
        pages.delete(name);
        pages.set(name, bytes);
      }
      return bytes;
    },
    set: async (key, bytes) => {
      const name = pageName(key);
      held += bytes.length - (pages.get(name)?.length ?? 0);
      pages.delete(name);
      pages.set(name, bytes);
      for (const [oldest, { length }] of pages) {
        if (held <= maxBytes) {
          break;
        }
        pages.delete(oldest);
        held -= length;
      }
    },
  };
}
