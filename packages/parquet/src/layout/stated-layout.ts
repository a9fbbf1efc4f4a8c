/**
 * The row groups that a valid footer states: each page belongs to the chunk whose bytes it is in. Where pages are missing, those before
 * are placed from the start of the chunk, those after from its end.
 */
import type { FileMetaData, RowGroup } from "hyparquet";
import { chunkStart } from "../read/page-decoder.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { LaidGroup, Layout } from "./layout.js";
import type { PageRows } from "./page-tokens.js";
import type { PageRun, ParsedChunk } from "./parsed-group.js";

/** A chunk as the footer states it, and the pages in it. */
interface StatedChunk {
  readonly column: number;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly rows: number;
  /** Indexes of the pages, ascending. */
  readonly pages: number[];
}

/** `undefined` if the pages are not where the footer says. */
export async function statedLayout(
  { row_groups: groups }: FileMetaData,
  rows: PageRows,
): Promise<Layout | undefined> {
  const written = groups.map((group) => statedChunks(group, rows.leaves));
  const lost = lostStart(written.flat(), rows);
  if (lost === undefined) {
    return undefined;
  }
  const stated = written.map((chunks) =>
    chunks.map((chunk) => ({ ...chunk, from: chunk.from - lost, to: chunk.to - lost })),
  );
  if (!takePages(stated.flat(), rows)) {
    return undefined;
  }
  const laid: LaidGroup[] = [];
  for (const [index, chunks] of stated.entries()) {
    const parsed: ParsedChunk[] = [];
    for (const chunk of chunks.filter(({ pages }) => pages.length > 0)) {
      const own = await parsedChunk(chunk, rows);
      if (own === undefined) {
        return undefined;
      }
      parsed.push(own);
    }
    const nowhere = { page: 0, column: 0, isInGap: false };
    const count = Number(groups[index]?.num_rows);
    laid.push({
      start: nowhere,
      end: nowhere,
      rows: count,
      chunks: parsed,
      cost: 0,
      isCertain: true,
      isGuessed: false,
    });
  }
  return { groups: laid, skipped: [], cost: 0, isGood: true };
}

/** None unless the chunks are those of the leaves. */
function statedChunks({ columns, num_rows: rows }: RowGroup, leaves: readonly Leaf[]): StatedChunk[] {
  const chunks = columns.flatMap(({ meta_data: meta }, column): StatedChunk[] => {
    if (meta === undefined || meta.type !== leaves[column]?.type) {
      return [];
    }
    const from = chunkStart(meta);
    return [{ column, from, to: from + Number(meta.total_compressed_size), rows: Number(rows), pages: [] }];
  });
  return chunks.length === leaves.length ? chunks : [];
}

/**
 * Bytes that the file lost before its first page: the last page shows them. `undefined` if they are unknown, or if bytes are missing
 * elsewhere, so that offsets hold for some pages only.
 */
function lostStart(chunks: readonly StatedChunk[], { found }: PageRows): number | undefined {
  const last = found.pages.at(-1);
  const end = Math.max(0, ...chunks.map(({ to }) => to));
  const lost = last === undefined ? 0 : end - last.offset - last.size;
  if (found.gapBefore[0] !== true) {
    return lost === 0 || found.endsInGap ? 0 : undefined;
  }
  return lost < 0 || (lost > 0 && found.endsInGap) ? undefined : lost;
}

/** Gives each page to its chunk. @returns whether all pages are inside chunks */
function takePages(chunks: readonly StatedChunk[], { found: { pages } }: PageRows): boolean {
  const sorted = [...chunks].sort((a, b) => a.from - b.from);
  let next = 0;
  for (const [index, { offset, size }] of pages.entries()) {
    while ((sorted[next]?.to ?? Number.POSITIVE_INFINITY) <= offset) {
      next++;
    }
    const chunk = sorted[next];
    if (chunk === undefined || offset < chunk.from || offset + size > chunk.to) {
      return false;
    }
    chunk.pages.push(index);
  }
  return pages.length > 0;
}

/** `undefined` if the pages contradict the footer. */
async function parsedChunk(
  { column, from, to, rows: total, pages }: StatedChunk,
  rows: PageRows,
): Promise<ParsedChunk | undefined> {
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
