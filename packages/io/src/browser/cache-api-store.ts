/** Pages in a browser's Cache API, also in workers and where the private file system is missing. */
import { type PageStore, pageDigest } from "../decorators/page-store.js";

/** Which cache of a browser keeps pages, and how many. */
export interface CacheApiStoreOptions {
  /** Name of the cache. Default `"cfile-pages"`. */
  readonly name?: string | undefined;
  /** Maximum number of pages kept; the oldest go first. Default 4096. */
  readonly pages?: number | undefined;
  /** In place of the global `caches`. */
  readonly caches?: Pick<CacheStorage, "open"> | undefined;
}

const DEFAULT_PAGES = 4096;

/** A store for `withCache`. Nothing is opened before the first page is asked for. */
export function cacheApiStore(options: CacheApiStoreOptions = {}): PageStore {
  const { name = "cfile-pages", pages = DEFAULT_PAGES } = options;
  let opened: Promise<Cache> | undefined;
  let written: number | undefined;
  const open = (): Promise<Cache> => {
    opened ??= (options.caches ?? globalThis.caches).open(name);
    opened.catch(() => {
      opened = undefined;
    });
    return opened;
  };
  return {
    get: async (key) => {
      const cache = await open();
      const response = await cache.match(urlOf(await pageDigest(key)));
      return response && new Uint8Array(await response.arrayBuffer());
    },
    set: async (key, bytes) => {
      const cache = await open();
      await cache.put(urlOf(await pageDigest(key)), new Response(new Uint8Array(bytes)));
      written = written === undefined ? (await cache.keys()).length : written + 1;
      if (written > pages) {
        const kept = await cache.keys();
        const surplus = kept.slice(0, Math.max(0, kept.length - pages));
        await Promise.all(surplus.map((request) => cache.delete(request)));
        written = kept.length - surplus.length;
      }
    },
  };
}

/** The Cache API wants URLs; nothing is ever requested from this one. */
function urlOf(digest: string): string {
  return `https://cfile.invalid/${digest}`;
}
