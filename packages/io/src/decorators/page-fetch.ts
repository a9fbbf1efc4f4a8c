/** Fetches pages from a store if it has them, else from the source; adjacent missing pages with one read. */
import type { ByteSource } from "../source/byte-source.js";
import type { PageKey, PageStore } from "./page-store.js";

/** Fetches the pages `first` to `last` (inclusive) of a file of `size` bytes. Pages are short if the source returns too few bytes. */
export type FetchPages = (
  first: number,
  last: number,
  size: number,
  signal: AbortSignal,
) => Promise<Uint8Array[]>;

/** @param store unused for a source without a version */
export function pageFetch(source: ByteSource, pageBytes: number, store: PageStore | undefined): FetchPages {
  const keyOf = (page: number, size: number, version: string): PageKey => {
    const offset = page * pageBytes;
    return { name: source.name, version, offset, length: Math.min(pageBytes, size - offset) };
  };
  const fromSource = async (
    [first, last]: readonly [number, number],
    size: number,
    version: string | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array[]> => {
    const offset = first * pageBytes;
    const bytes = await source.read(offset, Math.min(size, (last + 1) * pageBytes) - offset, { signal });
    return Array.from({ length: last - first + 1 }, (_, i) => {
      const view = bytes.subarray(i * pageBytes, (i + 1) * pageBytes);
      // Pages are dropped one by one: a view would retain the memory of its neighbors.
      const page = first === last ? view : view.slice();
      const key = version === undefined ? undefined : keyOf(first + i, size, version);
      if (key !== undefined && page.length === key.length) {
        store?.set(key, page).catch(() => undefined);
      }
      return page;
    });
  };
  return async (first, last, size, signal) => {
    const version = store && (await source.version?.({ signal }));
    const stored = await Promise.all(
      Array.from({ length: version === undefined ? 0 : last - first + 1 }, async (_, i) => {
        const key = keyOf(first + i, size, version ?? "");
        const bytes = await store?.get(key).catch(() => undefined);
        return bytes instanceof Uint8Array && bytes.length === key.length ? bytes : undefined;
      }),
    );
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
      runs.push(fromSource([start, page], size, version, signal));
    }
    return (await Promise.all(runs)).flat();
  };
}
