/** Pages of a source, from a store where it has them; missing pages that follow each other are one read of the source. */
import type { ByteSource } from "../source/byte-source.js";
import type { PageKey, PageStore } from "./page-store.js";

export class PageFetch {
  private readonly source: ByteSource;
  private readonly pageBytes: number;
  private readonly store: PageStore | undefined;

  /** @param store not used for a source without a version */
  constructor(source: ByteSource, pageBytes: number, store: PageStore | undefined) {
    this.source = source;
    this.pageBytes = pageBytes;
    this.store = store;
  }

  /** Length of a page of a file of `size` bytes: the last one may be shorter. */
  lengthOf(page: number, size: number): number {
    return Math.min(this.pageBytes, size - page * this.pageBytes);
  }

  /** The pages from `first` to `last`, inclusive. Pages are shorter than {@link lengthOf} where the source gave too few bytes. */
  async fetch(first: number, last: number, size: number, signal: AbortSignal): Promise<Uint8Array[]> {
    const version = this.store && (await this.source.version?.({ signal }));
    const stored = version === undefined ? [] : await this.fromStore(first, last, size, version);
    const runs: (readonly Uint8Array[] | Promise<readonly Uint8Array[]>)[] = [];
    for (let page = first; page <= last; page++) {
      const found = stored[page - first];
      if (found !== undefined) {
        runs.push([found]);
        continue;
      }
      const start = page;
      while (page < last && stored[page + 1 - first] === undefined) {
        page++;
      }
      runs.push(this.fromSource(start, page, size, version, signal));
    }
    return (await Promise.all(runs)).flat();
  }

  private async fromSource(
    first: number,
    last: number,
    size: number,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array[]> {
    const { pageBytes } = this;
    const offset = first * pageBytes;
    const bytes = await this.source.read(offset, Math.min(size, (last + 1) * pageBytes) - offset, { signal });
    const pages: Uint8Array[] = [];
    for (let page = first; page <= last; page++) {
      const at = (page - first) * pageBytes;
      const view = bytes.subarray(at, at + pageBytes);
      // Pages are kept and dropped one by one: a view would keep the memory of its neighbours.
      const own = first === last ? view : view.slice();
      pages.push(own);
      if (version !== undefined && own.length === this.lengthOf(page, size)) {
        this.store?.set(this.key(page, size, version), own).catch(() => undefined);
      }
    }
    return pages;
  }

  private fromStore(
    first: number,
    last: number,
    size: number,
    version: string,
  ): Promise<(Uint8Array | undefined)[]> {
    return Promise.all(
      Array.from({ length: last - first + 1 }, async (_, i) => {
        const key = this.key(first + i, size, version);
        const bytes = await this.store?.get(key).catch(() => undefined);
        return bytes instanceof Uint8Array && bytes.length === key.length ? bytes : undefined;
      }),
    );
  }

  private key(page: number, size: number, version: string): PageKey {
    const length = this.lengthOf(page, size);
    return { name: this.source.name, version, offset: page * this.pageBytes, length };
  }
}
