/**
 * Caches pages of a file in memory and in an optional store. All pages have the same size and start at multiples of it. Adjacent
 * missing pages are fetched with one read, shared by all callers that need any of them.
 */
import { type ByteSource, checkOption, checkRead, guarded } from "../source/byte-source.js";
import { sharedRequest } from "../source/shared-request.js";
import { delegate } from "./delegate-source.js";
import { pageFetch } from "./page-fetch.js";
import { type PageStore, recentPages } from "./page-store.js";

/** Options for caching a source. */
export interface CacheOptions {
  /** Maximum number of bytes in memory. Default 64 MiB. */
  readonly bytes?: number | undefined;
  /** Bytes per page. Default 64 KiB. */
  readonly pageBytes?: number | undefined;
  /** Second level of the cache. Unused for a source without a version. */
  readonly store?: PageStore | undefined;
}

/**
 * The source with a cache. Reads that fail or are aborted are not cached; a shared read is aborted when all its callers have
 * aborted.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` unless `bytes` is a number >= 0 and `pageBytes` an integer >= 1
 */
export function withCache(source: ByteSource, options: CacheOptions = {}): ByteSource {
  const { bytes: budget = 64 * 1024 * 1024, pageBytes = 64 * 1024, store } = options;
  checkOption("bytes", budget, 0);
  checkOption("pageBytes", pageBytes, 1, true);
  const cache = recentPages<number>(budget);
  const load = pageLoader(source, pageBytes, store, cache);
  return delegate(
    source,
    async (offset, length, { signal } = {}) => {
      checkRead(offset, length, signal);
      const size = await source.size({ signal });
      const end = Math.min(size, offset + length);
      if (offset >= end) {
        return new Uint8Array(0);
      }
      const first = Math.floor(offset / pageBytes);
      const pages = await load([first, Math.floor((end - 1) / pageBytes)], size, signal);
      const start = offset - first * pageBytes;
      const only = pages.length === 1 ? pages[0] : undefined;
      if (only !== undefined) {
        return only.subarray(start, start + end - offset);
      }
      const bytes = new Uint8Array(end - offset);
      let at = 0;
      for (const [i, page] of pages.entries()) {
        const piece = page.subarray(i === 0 ? start : 0).subarray(0, bytes.length - at);
        bytes.set(piece, at);
        at += piece.length;
      }
      return bytes.subarray(0, at);
    },
    () => cache.clear(),
  );
}

/** Adjacent pages that are being fetched. */
interface Flight {
  readonly first: number;
  readonly answer: (signal: AbortSignal | undefined) => Promise<readonly Uint8Array[]>;
}

/** Loads the pages `first` to `last`, inclusive. */
function pageLoader(
  source: ByteSource,
  pageBytes: number,
  store: PageStore | undefined,
  cache: ReturnType<typeof recentPages<number>>,
) {
  const fetchPages = pageFetch(source, pageBytes, store);
  const flights = new Map<number, Flight>();
  const start = (first: number, last: number, size: number): Flight => {
    const answer = sharedRequest(async (signal) => {
      try {
        const pages = await guarded(source.name, signal, () => fetchPages(first, last, size, signal));
        for (const [i, bytes] of pages.entries()) {
          // A short page is passed to the waiting callers, which report it, but is not cached: a later read fetches it again.
          if (bytes.length === Math.min(pageBytes, size - (first + i) * pageBytes)) {
            cache.set(first + i, bytes);
          }
        }
        return pages;
      } finally {
        for (let page = first; page <= last; page++) {
          if (flights.get(page) === flight) {
            flights.delete(page);
          }
        }
      }
    });
    const flight: Flight = { first, answer };
    for (let page = first; page <= last; page++) {
      flights.set(page, flight);
    }
    return flight;
  };
  return async (
    [first, last]: readonly [number, number],
    size: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array[]> => {
    const pages: Uint8Array[] = [];
    const awaited = new Set<Flight>();
    for (let page = first; page <= last; page++) {
      const held = cache.get(page);
      if (held !== undefined) {
        pages[page - first] = held;
        continue;
      }
      let end = page + 1;
      while (end <= last && cache.get(end) === undefined && !flights.has(end)) {
        end++;
      }
      awaited.add(flights.get(page) ?? start(page, end - 1, size));
    }
    await Promise.all(
      Array.from(awaited, async (flight) => {
        for (const [i, bytes] of (await flight.answer(signal)).entries()) {
          const page = flight.first + i;
          if (page >= first && page <= last) {
            pages[page - first] = bytes;
          }
        }
      }),
    );
    return pages;
  };
}
