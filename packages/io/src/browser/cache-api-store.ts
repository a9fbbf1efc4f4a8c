/** Pages in a browser's Cache API, also in workers and without the origin private file system. */
import { type PageStore, pageDigest } from "../decorators/page-store.js";
import { sharedRequest } from "../source/shared-request.js";

/** The cache that stores the pages, and their maximum number. */
export interface CacheApiStoreOptions {
  /** Name of the cache. Default `"cfile-pages"`. */
  readonly name?: string | undefined;
  /** Maximum number of pages; the oldest are removed first. Default 4096. */
  readonly pages?: number | undefined;
  /** Replaces the global `caches`. */
  readonly caches?: Pick<CacheStorage, "open"> | undefined;
}

/** A store for `withCache`. The cache is opened for the first page. */
export function cacheApiStore(options: CacheApiStoreOptions = {}): PageStore {
  const { name = "cfile-pages", pages = 4096 } = options;
  let written: number | undefined;
  const open = sharedRequest(async () => (options.caches ?? globalThis.caches).open(name));
  return {
    get: async (key) => {
      const cache = await open(undefined);
      const response = await cache.match(urlOf(await pageDigest(key)));
      return response && new Uint8Array(await response.arrayBuffer());
    },
    set: async (key, bytes) => {
      const cache = await open(undefined);
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

/** The Cache API requires URLs; this one is never requested. */
function urlOf(digest: string): string {
  return `https://cfile.invalid/${digest}`;
}
