/**
 * Pages of a file kept in memory, and in a store where one is given. All pages have one size and begin at its multiples. Adjacent
 * missing pages are fetched by one read, shared by all callers that need any of them.
 */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, checkRead, type ReadOptions, sourceError } from "../source/byte-source.js";
import { SharedRequest } from "../source/shared-request.js";
import { delegate } from "./delegate-source.js";
import { PageFetch } from "./page-fetch.js";
import type { PageStore } from "./page-store.js";
import { RecentPages } from "./recent-pages.js";

/** How much of a source is kept, and where. */
export interface CacheOptions {
  /** Maximum bytes kept in memory. Default 64 MiB. */
  readonly bytes?: number | undefined;
  /** Bytes per page. Default 64 KiB. */
  readonly pageBytes?: number | undefined;
  /** Where pages are looked up that are not in memory, and stored when fetched. Unused for a source without a version. */
  readonly store?: PageStore | undefined;
}

const DEFAULT_BYTES = 64 * 1024 * 1024;
const DEFAULT_PAGE = 64 * 1024;

/**
 * The source behind a cache. A read that fails or is aborted leaves nothing behind; a shared read is aborted when all its
 * callers have aborted.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` unless `bytes` is a number ≥ 0 and `pageBytes` an integer ≥ 1
 */
export function withCache(source: ByteSource, options: CacheOptions = {}): ByteSource {
  const { bytes = DEFAULT_BYTES, pageBytes = DEFAULT_PAGE, store } = options;
  if (!(bytes >= 0)) {
    throw invalidArgument(`bytes must be a number ≥ 0: ${bytes}`, { field: "bytes" });
  }
  if (!(Number.isSafeInteger(pageBytes) && pageBytes >= 1)) {
    throw invalidArgument(`pageBytes must be an integer ≥ 1: ${pageBytes}`, { field: "pageBytes" });
  }
  const pages = new PageCache(source, bytes, pageBytes, store);
  const read = (offset: number, length: number, readOptions?: ReadOptions): Promise<Uint8Array> =>
    pages.read(offset, length, readOptions?.signal);
  return {
    ...delegate(source),
    read,
    readMany: (ranges, readOptions) =>
      Promise.all(ranges.map(({ offset, length }) => read(offset, length, readOptions))),
    close: async () => {
      pages.clear();
      await source.close?.();
    },
  };
}

/** Adjacent pages that are being fetched. */
interface Flight {
  readonly firstPage: number;
  readonly request: SharedRequest<readonly Uint8Array[]>;
}

class PageCache {
  private readonly source: ByteSource;
  private readonly pageBytes: number;
  private readonly fetch: PageFetch;
  private readonly pages: RecentPages<number>;
  private readonly flights = new Map<number, Flight>();

  constructor(source: ByteSource, budget: number, pageBytes: number, store: PageStore | undefined) {
    this.source = source;
    this.pageBytes = pageBytes;
    this.pages = new RecentPages(budget);
    this.fetch = new PageFetch(source, pageBytes, store);
  }

  async read(offset: number, length: number, signal: AbortSignal | undefined): Promise<Uint8Array> {
    checkRead(offset, length, signal);
    const { pageBytes } = this;
    const size = await this.source.size({ signal });
    const end = Math.min(size, offset + length);
    if (offset >= end) {
      return new Uint8Array(0);
    }
    const first = Math.floor(offset / pageBytes);
    const pages = await this.load(first, Math.floor((end - 1) / pageBytes), size, signal);
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
  }

  clear(): void {
    this.pages.clear();
  }

  /** The pages from `first` to `last`, inclusive. */
  private async load(
    first: number,
    last: number,
    size: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array[]> {
    const pages: Uint8Array[] = [];
    const flights = new Set<Flight>();
    for (let page = first; page <= last; page++) {
      const held = this.pages.get(page);
      if (held !== undefined) {
        pages[page - first] = held;
        continue;
      }
      let flight = this.flights.get(page);
      if (flight === undefined) {
        let end = page + 1;
        while (end <= last && !this.pages.has(end) && !this.flights.has(end)) {
          end++;
        }
        flight = this.start(page, end - 1, size);
      }
      flights.add(flight);
    }
    await Promise.all(
      [...flights].map(async ({ firstPage, request }) => {
        for (const [i, bytes] of (await request.answer(signal)).entries()) {
          const page = firstPage + i;
          if (page >= first && page <= last) {
            pages[page - first] = bytes;
          }
        }
      }),
    );
    return pages;
  }

  private start(first: number, last: number, size: number): Flight {
    const request = new SharedRequest(async (signal: AbortSignal) => {
      try {
        const pages = await this.fetch.fetch(first, last, size, signal);
        for (const [i, bytes] of pages.entries()) {
          // A short page goes to the callers that wait for it, which report it; the next one asks again.
          if (bytes.length === this.fetch.lengthOf(first + i, size)) {
            this.pages.set(first + i, bytes);
          }
        }
        return pages;
      } catch (error) {
        throw sourceError(error, this.source.name, signal);
      } finally {
        for (let page = first; page <= last; page++) {
          if (this.flights.get(page) === flight) {
            this.flights.delete(page);
          }
        }
      }
    });
    const flight: Flight = { firstPage: first, request };
    for (let page = first; page <= last; page++) {
      this.flights.set(page, flight);
    }
    return flight;
  }
}
