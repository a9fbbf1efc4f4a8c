/**
 * Places the pages of a file that lost whole pages into the chunks that its footer states. Pages and chunks have the same order; a chunk
 * has all of its pages and exactly its bytes and rows, or lacks some of both. Every way to place the pages is tested; only what all of them
 * share is certain.
 */
import type { PageRows } from "./page-tokens.js";
import type { StatedChunk, StatedPage } from "./stated-chunks.js";

/** The pages of a chunk. */
export interface Placement {
  /** Index of the first page. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

/** Whether the values of the pages can be those of the chunk. */
export type ValueTest = (chunk: StatedChunk, placement: Placement) => Promise<boolean>;

/** Maximum number of steps, and of steps per page; beyond them, nothing is certain. */
const STEPS = 100_000;
const STEPS_PER_PAGE = 100;

/**
 * For each chunk, all possible placements; a single one is certain. `undefined` if the pages do not fit the chunks, or fit in too many
 * ways.
 */
export async function alignChunks(
  chunks: readonly StatedChunk[],
  rows: PageRows,
  isPossible: ValueTest,
): Promise<readonly (readonly Placement[])[] | undefined> {
  const alignment = new Alignment(chunks, rows);
  const all = await alignment.placements();
  const alike = all && alignment.complete(all);
  if (alike === undefined || alike.every((own) => own.length === 1)) {
    return alike;
  }
  const tested: Placement[][] = [];
  for (const [i, own] of alike.entries()) {
    const chunk = chunks[i];
    const kept: Placement[] = [];
    for (const placement of own) {
      if (own.length === 1 || chunk === undefined || (await isPossible(chunk, placement))) {
        kept.push(placement);
      }
    }
    tested.push(kept);
  }
  return alignment.complete(tested) ?? alike;
}

class Alignment {
  private readonly chunks: readonly StatedChunk[];
  private readonly rows: PageRows;
  /** Number of bytes that the chunks state and the pages lack. */
  private readonly missing: number;
  private steps: number;

  constructor(chunks: readonly StatedChunk[], rows: PageRows) {
    this.chunks = chunks;
    this.rows = rows;
    const stated = chunks.reduce((sum, { from, to }) => sum + to - from, 0);
    this.missing = rows.found.pages.reduce((left, { size }) => left - size, stated);
    this.steps = STEPS + STEPS_PER_PAGE * rows.found.pages.length;
  }

  /** For each chunk, its placements after those of the previous chunks; `undefined` if there are too many. */
  async placements(): Promise<Placement[][] | undefined> {
    const all: Placement[][] = [];
    // Bytes of pages before each possible start of the next chunk, and stated bytes up to the end of the chunk.
    let starts = new Map([[0, 0]]);
    let end = 0;
    for (const chunk of this.chunks) {
      end += chunk.to - chunk.from;
      const own: Placement[] = [];
      const ends = new Map<number, number>();
      for (const [from, before] of starts) {
        for await (const { to, size } of this.ends(chunk, from, end - before)) {
          own.push({ from, to });
          ends.set(to, before + size);
        }
      }
      if (this.steps < 0) {
        return undefined;
      }
      all.push(own);
      starts = ends;
    }
    return all;
  }

  /** The placements that are part of a placement of all pages; `undefined` if no such placement exists. */
  complete(all: readonly (readonly Placement[])[]): Placement[][] | undefined {
    const isReached: (readonly Placement[])[] = [];
    let starts = new Set([0]);
    for (const own of all) {
      const reached = own.filter(({ from }) => starts.has(from));
      isReached.push(reached);
      starts = new Set(reached.map(({ to }) => to));
    }
    const kept: Placement[][] = [];
    let ends = new Set([this.rows.found.pages.length]);
    for (const own of isReached.reverse()) {
      const used = own.filter(({ to }) => ends.has(to));
      kept.push(used);
      ends = new Set(used.map(({ from }) => from));
    }
    return kept.every((own) => own.length > 0) ? kept.reverse() : undefined;
  }

  /**
   * Possible ends of a chunk whose pages start at `from`, and the bytes of these pages.
   * @param left bytes from the start of the page `from` to the end of the chunk, if no earlier page is missing
   */
  private async *ends(
    chunk: StatedChunk,
    from: number,
    left: number,
  ): AsyncGenerator<{ readonly to: number; readonly size: number }, void, void> {
    let size = 0;
    let rows = 0;
    let listed = 0;
    for (let to = from; --this.steps >= 0; to++) {
      if (size > chunk.to - chunk.from || size > left) {
        return;
      }
      if (left - size <= this.missing && this.hasRows(chunk, { own: size, rows, from, to })) {
        yield { to, size };
      }
      const page = this.rows.found.pages[to];
      const count = page === undefined ? -1 : await this.rows.rows(to, chunk.column, true);
      const isDictionary = this.rows.isDictionary(to);
      const isInside = to === from || (!isDictionary && this.rows.found.startsChunk[to] !== true);
      if (page === undefined || count < 0 || !isInside || rows + count > chunk.rows) {
        return;
      }
      if (isDictionary && (chunk.dictionarySize ?? page.size) !== page.size) {
        return;
      }
      if (!isDictionary && chunk.pages !== undefined) {
        listed = nextLike(chunk.pages, listed, page.size, count) + 1;
        if (listed === 0) {
          return;
        }
      }
      rows += count;
      size += page.size;
    }
  }

  /** Whether the pages have the bytes and rows of the chunk, or fewer of both. */
  private hasRows(
    { from: start, to: end, rows: total, dictionarySize }: StatedChunk,
    { own, rows, from, to }: Placement & { readonly own: number; readonly rows: number },
  ): boolean {
    const missing = end - start - own;
    const hasDictionary = to > from && this.rows.isDictionary(from);
    if (missing === 0) {
      return rows === total && (hasDictionary || (dictionarySize ?? 0) === 0);
    }
    const isDictionary = to > from && !hasDictionary && missing === (dictionarySize ?? missing);
    return rows < total || (rows === total && isDictionary);
  }
}

/** The index of the next stated page of this size, from `start` on; or -1. */
function nextLike(pages: readonly StatedPage[], start: number, size: number, rows: number): number {
  return pages.findIndex((page, i) => i >= start && page.size === size && page.rows === rows);
}
