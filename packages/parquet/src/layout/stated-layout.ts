/**
 * The row groups that a valid footer states: each page belongs to the chunk that contains its bytes. Where pages are missing, pages before
 * the gap are placed from the start of the chunk, pages after it from the end. In a file that is shorter than its footer states, pages have
 * moved.
 */
import type { LaidGroup, Layout } from "./layout.js";
import { movedLayout, statedGroups } from "./moved-layout.js";
import type { PageStore } from "./page-store.js";
import type { FoundPages, PageRows } from "./page-tokens.js";
import type { PageRun, ParsedChunk } from "./parsed-group.js";
import { isShort, type StatedChunk, type StatedFile, statedChunks } from "./stated-chunks.js";

/** `undefined` if the pages are not where the footer states them, and do not fit its chunks. */
export async function statedLayout(
  stated: StatedFile,
  rows: PageRows,
  store: PageStore,
): Promise<Layout | undefined> {
  const chunks = statedChunks(stated, rows.leaves);
  if (chunks.length === 0 || rows.found.pages.length === 0) {
    return undefined;
  }
  if (!isShort(stated)) {
    return placedLayout(chunks, rows, 0);
  }
  const moved = await movedLayout(chunks, rows, store);
  const isSure = moved?.skipped.length === 0 && moved.groups.every(({ isCertain }) => isCertain);
  const shifted = isSure || rows.found.gapBefore[0] !== true ? undefined : await shiftedLayout(chunks, rows);
  return shifted === undefined ? moved : withCertain(shifted, moved);
}

/** Assumes that all pages moved by the bytes lost before the first one. This is a guess, because other bytes may also be lost. */
async function shiftedLayout(chunks: readonly StatedChunk[], rows: PageRows): Promise<Layout | undefined> {
  const { pages, endsInGap } = rows.found;
  const [last, chunk] = [pages.at(-1), chunks.at(-1)];
  if (last === undefined || chunk === undefined || endsInGap) {
    return undefined;
  }
  const lost = chunk.to - last.offset - last.size;
  return lost > 0 ? placedLayout(chunks, rows, lost) : undefined;
}

function withCertain(shifted: Layout, moved: Layout | undefined): Layout {
  const contentOf = ({ chunks }: LaidGroup): string => JSON.stringify(chunks);
  const groups = shifted.groups.map((group, i) => {
    const other = moved?.groups[i];
    const isCertain = other?.isCertain === true && contentOf(other) === contentOf(group);
    return { ...group, isCertain, isGuessed: !isCertain };
  });
  return { ...shifted, groups };
}

/** Pages at their offsets. @param lost bytes by which all of them have moved towards the start */
async function placedLayout(
  chunks: readonly StatedChunk[],
  rows: PageRows,
  lost: number,
): Promise<Layout | undefined> {
  const owned = pagesByChunk(chunks, rows.found, lost);
  if (owned === undefined) {
    return undefined;
  }
  const parsed: (ParsedChunk | undefined)[] = [];
  for (const { chunk, pages } of owned) {
    const own = pages.length === 0 ? undefined : await parsedChunk(chunk, pages, rows, lost);
    if (pages.length > 0 && own === undefined) {
      return undefined;
    }
    parsed.push(own);
  }
  return { groups: statedGroups(chunks, parsed, new Set()), skipped: [], cost: 0, isGood: true };
}

/** The pages of each chunk; `undefined` if a page is outside all chunks, or if pages are missing where the file has no gap. */
function pagesByChunk(
  chunks: readonly StatedChunk[],
  { pages, gapBefore, endsInGap }: FoundPages,
  lost: number,
): { readonly chunk: StatedChunk; readonly pages: readonly number[] }[] | undefined {
  const owned: { readonly chunk: StatedChunk; readonly pages: readonly number[] }[] = [];
  let next = 0;
  for (const chunk of chunks) {
    const { from, to } = chunk;
    const own: number[] = [];
    let at = from - lost;
    for (let page = pages[next]; page !== undefined && page.offset < to - lost; page = pages[++next]) {
      if (page.offset < at || page.offset + page.size > to - lost) {
        return undefined;
      }
      if (page.offset > at && gapBefore[next] !== true) {
        return undefined;
      }
      own.push(next);
      at = page.offset + page.size;
    }
    if (at !== to - lost && (next === pages.length ? !endsInGap : gapBefore[next] !== true)) {
      return undefined;
    }
    owned.push({ chunk, pages: own });
  }
  return next === pages.length ? owned : undefined;
}

/** `undefined` if the pages contradict the footer. */
async function parsedChunk(
  { column, rows: total, ...stated }: StatedChunk,
  pages: readonly number[],
  rows: PageRows,
  lost: number,
): Promise<ParsedChunk | undefined> {
  const [from, to] = [stated.from - lost, stated.to - lost];
  const { found } = rows;
  const runs: (PageRun & { readonly isLast: boolean })[] = [];
  let dictionary: number | undefined;
  let isJoined = false;
  for (const page of pages) {
    const part = found.pages[page];
    const count = await rows.rows(page, column, true);
    const isFirst = page === pages[0];
    const isGap = found.gapBefore[page] === true;
    if (part === undefined || count < 0 || (isFirst && !isGap && part.offset !== from)) {
      return undefined;
    }
    const isAtStart = isFirst ? part.offset === from : isJoined && !isGap;
    if (rows.isDictionary(page)) {
      if (!isFirst || !isAtStart) {
        return undefined;
      }
      dictionary = page;
      isJoined = true;
      continue;
    }
    const before = isGap ? undefined : runs.pop();
    const isLast = part.offset + part.size === to;
    const reaches =
      (before?.reaches ?? (isAtStart ? "start" : "none")) === "start" ? "start" : isLast ? "end" : "none";
    runs.push({
      from: before?.from ?? page,
      to: page + 1,
      rows: (before?.rows ?? 0) + count,
      reaches,
      isLast,
    });
    isJoined = false;
  }
  const [only] = runs;
  const sum = runs.reduce((all, run) => all + run.rows, 0);
  const isWhole = runs.length === 1 && only?.reaches === "start" && only.isLast;
  return (isWhole ? sum === total : sum <= total) ? { column, dictionary, runs } : undefined;
}
