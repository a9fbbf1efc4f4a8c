/** The row groups of a file that lost bytes before its footer, so that its pages are not at the offsets that the footer states. */
import { alignChunks, type Placement } from "./align-chunks.js";
import { pageSpan } from "./column-habits.js";
import type { LaidGroup, Layout } from "./layout.js";
import type { Span } from "./page-span.js";
import type { PageStore } from "./page-store.js";
import type { PageRows } from "./page-tokens.js";
import type { PageRun, ParsedChunk } from "./parsed-group.js";
import type { StatedBounds, StatedChunk, StatedPage } from "./stated-chunks.js";

/** Maximum bytes of pages whose values are compared with the bounds in the footer. */
const MAX_BYTES = 64 * 1024 * 1024;

/** Row groups with the chunks whose pages have a single possible placement. `undefined` if the pages do not fit the chunks. */
export async function movedLayout(
  chunks: readonly StatedChunk[],
  rows: PageRows,
  store: PageStore,
): Promise<Layout | undefined> {
  const place = new PagePlaces(rows, store);
  const placements = await alignChunks(chunks, rows, (chunk, own) => place.isPossible(chunk, own));
  if (placements === undefined) {
    return undefined;
  }
  const placed = new Set<number>();
  const guessed = new Set<number>();
  const parsed: (ParsedChunk | undefined)[] = [];
  for (const [i, [only, ...others]] of placements.entries()) {
    const chunk = chunks[i];
    if (chunk === undefined || only === undefined || others.length > 0 || only.from === only.to) {
      parsed.push(undefined);
      continue;
    }
    const { chunk: own, isGuess } = await place.parsed(chunk, only);
    parsed.push(own);
    for (let page = only.from; page < only.to; page++) {
      placed.add(page);
    }
    if (isGuess) {
      guessed.add(chunk.group);
    }
  }
  const skipped = [...rows.found.pages.keys()].filter((page) => !placed.has(page));
  return { groups: statedGroups(chunks, parsed, guessed), skipped, cost: 0, isGood: true };
}

/** The row groups of these chunks, in which pages may be missing. @param guessed indexes of row groups */
export function statedGroups(
  chunks: readonly StatedChunk[],
  parsed: readonly (ParsedChunk | undefined)[],
  guessed: ReadonlySet<number>,
): LaidGroup[] {
  const groups: (LaidGroup & { readonly chunks: ParsedChunk[] })[] = [];
  const nowhere = { page: 0, column: 0, isInGap: false };
  for (const [i, { group, rows }] of chunks.entries()) {
    const isGuessed = guessed.has(group);
    const flags = { isCertain: !isGuessed, isGuessed };
    groups[group] ??= { start: nowhere, end: nowhere, rows, chunks: [], cost: 0, ...flags };
    const own = parsed[i];
    groups[group]?.chunks.push(...(own === undefined ? [] : [own]));
  }
  return groups;
}

/** Finds out which rows of their chunk pages contain. */
class PagePlaces {
  private readonly rows: PageRows;
  private readonly store: PageStore;
  private readonly spans = new Map<string, Span | undefined>();
  private bytes = 0;

  constructor(rows: PageRows, store: PageStore) {
    this.rows = rows;
    this.store = store;
  }

  /** Whether the values of the pages can be those of the chunk. */
  async isPossible(chunk: StatedChunk, { from, to }: Placement): Promise<boolean> {
    const data = this.rows.isDictionary(from) ? from + 1 : from;
    if (data >= to) {
      return true;
    }
    if (
      chunk.pages !== undefined &&
      (await this.listed(chunk, chunk.pages, { from: data, to })) === undefined
    ) {
      return false;
    }
    let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    let hasAll = this.size({ from, to }) === chunk.to - chunk.from;
    for (let page = data; page < to; page++) {
      const span = await this.span(page, chunk.column, from);
      if (span === undefined) {
        hasAll = false;
      } else if (!isWithin(span, chunk.bounds, false)) {
        return false;
      } else {
        [least, most] = [Math.min(least, span.least), Math.max(most, span.most)];
      }
    }
    return !hasAll || isWithin({ least, most }, chunk.bounds, true);
  }

  /** The pages as runs. Without an offset index, only gaps in the file show where pages are missing, which is a guess. */
  async parsed(
    chunk: StatedChunk,
    { from, to }: Placement,
  ): Promise<{ readonly chunk: ParsedChunk; readonly isGuess: boolean }> {
    const { column, rows: total } = chunk;
    const dictionary = this.rows.isDictionary(from) ? from : undefined;
    const data = { from: dictionary === undefined ? from : from + 1, to };
    const rows = await this.count(data, column);
    if (rows === total) {
      const run: PageRun = { ...data, rows, reaches: "start" };
      return { chunk: { column, dictionary, runs: [run] }, isGuess: false };
    }
    const listed = chunk.pages && (await this.listed(chunk, chunk.pages, data));
    if (listed === undefined || listed.includes(undefined)) {
      return { chunk: { column, dictionary, runs: await this.runsByGaps(data, column) }, isGuess: true };
    }
    const runs: PageRun[] = [];
    for (const [i, page] of listed.entries()) {
      const own = { from: data.from + i, to: data.from + i + 1 };
      const reaches = page?.firstRow === 0 ? "start" : "none";
      runs.push({ ...own, rows: await this.count(own, column), reaches, firstRow: page?.firstRow });
    }
    return { chunk: { column, dictionary, runs }, isGuess: false };
  }

  /** For each page, its entry in the offset index if only one is possible; `undefined` if the pages do not fit the index. */
  private async listed(
    chunk: StatedChunk,
    stated: readonly StatedPage[],
    { from, to }: Placement,
  ): Promise<(StatedPage | undefined)[] | undefined> {
    const first: number[] = [];
    for (let page = from, at = 0; page < to; page++, at++) {
      while (at < stated.length && !(await this.isLike(chunk, stated[at], page, from))) {
        at++;
      }
      first.push(at);
    }
    if (first.some((at) => at >= stated.length)) {
      return undefined;
    }
    const only: (StatedPage | undefined)[] = [];
    for (let page = to - 1, at = stated.length - 1; page >= from; page--, at--) {
      while (at > 0 && !(await this.isLike(chunk, stated[at], page, from))) {
        at--;
      }
      only.push(at === first[page - from] ? stated[at] : undefined);
    }
    return only.reverse();
  }

  private async isLike(
    { column }: StatedChunk,
    stated: StatedPage | undefined,
    page: number,
    from: number,
  ): Promise<boolean> {
    const part = this.rows.found.pages[page];
    if (stated === undefined || part?.size !== stated.size) {
      return false;
    }
    if ((await this.rows.rows(page, column, true)) !== stated.rows) {
      return false;
    }
    const span = stated.bounds && (await this.span(page, column, from - 1));
    return span === undefined || isWithin(span, stated.bounds, true);
  }

  /** The runs between gaps. The first one starts the chunk and the last one ends it, unless a gap is there. */
  private async runsByGaps({ from, to }: Placement, column: number): Promise<PageRun[]> {
    const { pages, gapBefore, endsInGap } = this.rows.found;
    const hasGap = (page: number): boolean => (page === pages.length ? endsInGap : gapBefore[page] === true);
    const cuts = [from];
    for (let page = from + 1; page < to; page++) {
      if (hasGap(page)) {
        cuts.push(page);
      }
    }
    const runs: PageRun[] = [];
    for (const [i, start] of cuts.entries()) {
      const end = cuts[i + 1] ?? to;
      const isFirst = i === 0 && !hasGap(from) && (cuts.length > 1 || hasGap(to));
      const isLast = end === to && !hasGap(to) && (cuts.length > 1 || hasGap(from));
      const rows = await this.count({ from: start, to: end }, column);
      runs.push({ from: start, to: end, rows, reaches: isFirst ? "start" : isLast ? "end" : "none" });
    }
    return runs;
  }

  private async count({ from, to }: Placement, column: number): Promise<number> {
    let rows = 0;
    for (let page = from; page < to; page++) {
      rows += await this.rows.rows(page, column, true);
    }
    return rows;
  }

  private size({ from, to }: Placement): number {
    return this.rows.found.pages.slice(from, to).reduce((sum, { size }) => sum + size, 0);
  }

  /** @param words index of the page that may be the dictionary */
  private async span(page: number, column: number, words: number): Promise<Span | undefined> {
    const [part, leaf] = [this.rows.found.pages[page], this.rows.leaves[column]];
    const dictionary = this.rows.isDictionary(words) ? this.rows.found.pages[words] : undefined;
    const key = `${page} ${column} ${dictionary?.offset}`;
    if (part !== undefined && leaf !== undefined && !this.spans.has(key)) {
      this.bytes += part.size;
      this.spans.set(
        key,
        this.bytes > MAX_BYTES ? undefined : await pageSpan(this.store, part, leaf, dictionary),
      );
    }
    return this.spans.get(key);
  }
}

/** @param isAll whether these are all values that the bounds cover */
function isWithin(
  { least, most }: Pick<Span, "least" | "most">,
  bounds: StatedBounds | undefined,
  isAll: boolean,
): boolean {
  return (
    bounds === undefined ||
    (isAll && bounds.isExact
      ? least === bounds.least && most === bounds.most
      : least >= bounds.least && most <= bounds.most)
  );
}
