/**
 * Pages of a file kept in memory, and in a store where one is given. Pages have one size and begin at its multiples; missing
 * ones that follow each other are fetched by one read, which all who need any of them wait for.
 */
import { invalidArgument } from "@cfile/bytes";
import { type ByteSource, checkRead, type ReadOptions, sourceError } from "../source/byte-source.js";
import { SharedRequest } from "../source/shared-request.js";
import { delegate } from "./delegate-source.js";
import type { PageStore } from "./page-store.js";

export interface CacheOptions {
  /** Bytes kept in memory at most. Default 64 MiB. */
  readonly bytes?: number | undefined;
  /** Bytes of a page. Default 64 KiB. */
  readonly pageBytes?: number | undefined;
  /** Asked for what is not in memory, and given what was fetched. Not used for a source that tells no version. */
  readonly store?: PageStore | undefined;
}

const DEFAULT_BYTES = 64 * 1024 * 1024;
const DEFAULT_PAGE = 64 * 1024;

/**
 * The source behind a cache. A read that fails or is aborted leaves nothing behind; what several wait for is aborted when all
 * of them have given up.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when `bytes` is no number from 0 on or `pageBytes` no whole number from 1 on
 */
export function withCache(source: ByteSource, options: CacheOptions = {}): ByteSource {
  const { bytes = DEFAULT_BYTES, pageBytes = DEFAULT_PAGE, store } = options;
  if (!(bytes >= 0)) {
    throw invalidArgument(`bytes is no number of bytes: ${bytes}`, { field: "bytes" });
  }
  if (!(Number.isSafeInteger(pageBytes) && pageBytes >= 1)) {
    throw invalidArgument(`pageBytes is no number of bytes: ${pageBytes}`, { field: "pageBytes" });
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

/** Pages that follow each other, on their way. */
interface Flight {
  readonly firstPage: number;
  readonly request: SharedRequest<readonly Uint8Array[]>;
}

class PageCache {
  private readonly source: ByteSource;
  private readonly budget: number;
  private readonly pageBytes: number;
  private readonly store: PageStore | undefined;
  /** By number, in the order of their last use. */
  private readonly pages = new Map<number, Uint8Array>();
  private readonly flights = new Map<number, Flight>();
  private held = 0;

  constructor(source: ByteSource, budget: number, pageBytes: number, store: PageStore | undefined) {
    this.source = source;
    this.budget = budget;
    this.pageBytes = pageBytes;
    this.store = store;
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
    const last = Math.floor((end - 1) / pageBytes);
    const pages = await this.load(first, last, size, signal);
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
    this.held = 0;
  }

  /** The pages from `first` to `last`. */
  private async load(
    first: number,
    last: number,
    size: number,
    signal: AbortSignal | undefined,
  ): Promise<Uint8Array[]> {
    const pages: Uint8Array[] = [];
    const flights = new Set<Flight>();
    for (let page = first; page <= last; page++) {
      const held = this.touch(page);
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
        const pages = await this.fetch(first, last, size, signal);
        for (const [i, bytes] of pages.entries()) {
          // What came short is for those who asked, who will notice; the next one asks again.
          if (bytes.length === this.lengthOf(first + i, size)) {
            this.keep(first + i, bytes);
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

  private async fetch(first: number, last: number, size: number, signal: AbortSignal): Promise<Uint8Array[]> {
    const version = this.store && (await this.source.version?.({ signal }));
    const stored = version === undefined ? [] : await this.fromStore(first, last, size, version);
    const pages: Uint8Array[] = [];
    const missing: Promise<void>[] = [];
    for (let page = first; page <= last; page++) {
      const held = stored[page - first];
      if (held !== undefined) {
        pages[page - first] = held;
        continue;
      }
      const start = page;
      while (page < last && stored[page + 1 - first] === undefined) {
        page++;
      }
      missing.push(this.fromSource(start, page, size, signal, pages, first, version));
    }
    await Promise.all(missing);
    return pages;
  }

  private async fromSource(
    start: number,
    last: number,
    size: number,
    signal: AbortSignal,
    pages: Uint8Array[],
    first: number,
    version: string | undefined,
  ): Promise<void> {
    const { pageBytes, store } = this;
    const offset = start * pageBytes;
    const bytes = await this.source.read(offset, Math.min(size, (last + 1) * pageBytes) - offset, { signal });
    for (let page = start; page <= last; page++) {
      const at = (page - start) * pageBytes;
      const view = bytes.subarray(at, at + pageBytes);
      // Pages live and die one by one: none is to hold the memory of its neighbours.
      const own = start === last ? view : view.slice();
      pages[page - first] = own;
      if (version !== undefined && own.length === this.lengthOf(page, size)) {
        store?.set(this.key(page, size, version), own).catch(() => undefined);
      }
    }
  }

  private fromStore(
    first: number,
    last: number,
    size: number,
    version: string,
  ): Promise<(Uint8Array | undefined)[]> {
    const asked: Promise<Uint8Array | undefined>[] = [];
    for (let page = first; page <= last; page++) {
      const key = this.key(page, size, version);
      asked.push(
        Promise.resolve(this.store?.get(key)).then(
          (bytes) => (bytes instanceof Uint8Array && bytes.length === key.length ? bytes : undefined),
          () => undefined,
        ),
      );
    }
    return Promise.all(asked);
  }

  private key(page: number, size: number, version: string) {
    const offset = page * this.pageBytes;
    return { name: this.source.name, version, offset, length: this.lengthOf(page, size) };
  }

  private lengthOf(page: number, size: number): number {
    return Math.min(this.pageBytes, size - page * this.pageBytes);
  }

  private touch(page: number): Uint8Array | undefined {
    const bytes = this.pages.get(page);
    if (bytes !== undefined) {
      this.pages.delete(page);
      this.pages.set(page, bytes);
    }
    return bytes;
  }

  private keep(page: number, bytes: Uint8Array): void {
    if (bytes.buffer.byteLength > this.budget) {
      return;
    }
    this.held += bytes.buffer.byteLength - (this.pages.get(page)?.buffer.byteLength ?? 0);
    this.pages.delete(page);
    this.pages.set(page, bytes);
    for (const [oldest, { buffer }] of this.pages) {
      if (this.held <= this.budget) {
        break;
      }
      this.pages.delete(oldest);
      this.held -= buffer.byteLength;
    }
  }
}
