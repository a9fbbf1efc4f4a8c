/** The usable pages of a chunk, and the rows of the row group that they contain. */

import { type CFileError, corrupt, isDamage } from "@cfile/bytes";
import type { CompressionCodec } from "hyparquet";
import { isCoded } from "../layout/page-fit.js";
import type { PageStore } from "../layout/page-store.js";
import type { PageRows } from "../layout/page-tokens.js";
import type { PageRun, ParsedChunk } from "../layout/parsed-group.js";
import type { RowRange } from "../prune/row-ranges.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { PagePart } from "../walk/file-part.js";

/** A data page whose rows are known. */
export interface PlacedPage {
  readonly part: PagePart;
  /** Counted from the start of the row group. */
  readonly firstRow: number;
  /** Rows that start in the page. */
  readonly rows: number;
  /** Whether it starts inside a row of the previous page. */
  readonly continues: boolean;
}

/** A page that cannot be used. */
export interface LostPage {
  readonly part: PagePart;
  /** Rows of the row group; `undefined` between two gaps. */
  readonly rows: RowRange | undefined;
  readonly error: CFileError;
}

/** The remaining pages of a chunk. */
export interface ChunkPages {
  readonly leaf: Leaf;
  readonly codec: CompressionCodec;
  readonly dictionary: PagePart | undefined;
  readonly pages: readonly PlacedPage[];
  readonly lost: readonly LostPage[];
  /** Whole rows of the row group; ascending. */
  readonly covered: readonly RowRange[];
}

/** Maximum number of pages that are read to find the codec of a chunk without CRCs. */
const MAX_SAMPLES = 8;

/** Reads the pages of a chunk that must be read: pages without a CRC, and pages whose rows may span several pages. */
export class ChunkReader {
  private readonly rows: PageRows;
  private readonly store: PageStore;
  private readonly readsAll: boolean;

  /** @param readsAll whether to read also pages with a CRC */
  constructor(rows: PageRows, store: PageStore, readsAll: boolean) {
    this.rows = rows;
    this.store = store;
    this.readsAll = readsAll;
  }

  /** @param groupRows rows of the row group, if known */
  async chunk(parsed: ParsedChunk, leaf: Leaf, groupRows: number | undefined): Promise<ChunkPages> {
    const { pages: parts } = this.rows.found;
    const lost: LostPage[] = [];
    const all = parsed.runs.flatMap(({ from, to }) => parts.slice(from, to));
    const { dictionary: index } = parsed;
    const dictionary = index === undefined ? undefined : parts[index];
    const codec = await this.codecOf(dictionary === undefined ? all : [dictionary, ...all], leaf);
    const isRight =
      index !== undefined &&
      dictionary?.crc === "right" &&
      (await this.rows.rows(index, parsed.column, true)) === 0;
    const words =
      dictionary && (isRight || (await this.usable(dictionary, { leaf, codec }, lost)))
        ? dictionary
        : undefined;
    const placed: PlacedPage[] = [];
    // Rows of a single leaf need not be aligned with other leaves, but a gap may hide the dictionary of another chunk.
    const isAlone = this.rows.leaves.length === 1 && groupRows === undefined;
    for (const run of parsed.runs) {
      const last = placed.at(-1);
      const end = last === undefined ? 0 : last.firstRow + last.rows;
      const own = isAlone && run.reaches !== "start" ? undefined : words;
      let at = startOf(run, groupRows) ?? (isAlone ? end : undefined);
      for (const [i, part] of parts.slice(run.from, run.to).entries()) {
        const rows = Math.max(0, await this.rows.rows(run.from + i, parsed.column, false));
        const to = at === undefined ? undefined : at + rows;
        try {
          const continues = await this.check(part, { leaf, codec }, own);
          if (at === undefined) {
            const reason = "rows of the page are unknown: pages are missing before and after it";
            throw corrupt(reason, { field: "page" });
          }
          if (at === 0 && run.reaches === "start" && continues) {
            throw corrupt("the first value of the chunk continues a row", { field: "repetition levels" });
          }
          placed.push({ part, firstRow: at, rows, continues });
        } catch (error) {
          if (!isDamage(error)) {
            throw error;
          }
          const range = at === undefined || to === undefined ? undefined : { from: at, to };
          lost.push({ part, rows: range, error });
        }
        at = to;
      }
    }
    const covered = coverage(placed, leaf, groupRows);
    return { leaf, codec, dictionary: words, pages: placed, lost, covered };
  }

  private async usable(
    dictionary: PagePart,
    { leaf, codec }: Pick<ChunkPages, "leaf" | "codec">,
    lost: LostPage[],
  ): Promise<boolean> {
    try {
      requireCrc(dictionary);
      await this.store.dictionary(dictionary, leaf, codec);
      return true;
    } catch (error) {
      if (!isDamage(error)) {
        throw error;
      }
      lost.push({ part: dictionary, rows: undefined, error });
      return false;
    }
  }

  /** Whether the page starts inside a row. @throws {CFileError} when it is damaged */
  private async check(
    part: PagePart,
    { leaf, codec }: Pick<ChunkPages, "leaf" | "codec">,
    dictionary: PagePart | undefined,
  ): Promise<boolean> {
    requireCrc(part);
    if (isCoded(part.header) && dictionary === undefined && part.header.valueCount > 0) {
      throw corrupt("the dictionary is lost", { offset: part.offset, field: "dictionary page" });
    }
    const mayContinue = leaf.maxRepetition > 0 && part.header.rowCount === undefined;
    if (part.crc === "right" && !mayContinue && !this.readsAll) {
      return false;
    }
    const { data } = await this.store.page(part, leaf, dictionary, codec);
    return (data.repetitions?.[0] ?? 0) > 0;
  }

  /** The codec of a chunk: that of the first page with a matching CRC, otherwise the most frequent one of its first pages. */
  private async codecOf(parts: readonly PagePart[], leaf: Leaf): Promise<CompressionCodec> {
    const counts = new Map<CompressionCodec, number>();
    const hasBody = (part: PagePart): boolean => part.header.valueCount > 0 && part.header.storedSize > 1;
    const telling = parts.filter((part) => part.crc !== "wrong" && hasBody(part));
    const sure = telling.find(({ crc }) => crc === "right");
    for (const part of sure === undefined ? telling.slice(0, MAX_SAMPLES) : [sure]) {
      try {
        const codec = await this.store.codecOf(part, leaf);
        counts.set(codec, (counts.get(codec) ?? 0) + 1);
      } catch (error) {
        if (!isDamage(error)) {
          throw error;
        }
      }
    }
    const [most] = [...counts].sort((a, b) => b[1] - a[1]);
    return most?.[0] ?? this.store.usualCodec(leaf);
  }
}

/** First row of a run, counted from the start of the row group, if known. */
function startOf({ reaches, rows, firstRow }: PageRun, groupRows: number | undefined): number | undefined {
  if (firstRow !== undefined) {
    return firstRow;
  }
  if (reaches === "start") {
    return 0;
  }
  return reaches === "end" && groupRows !== undefined ? groupRows - rows : undefined;
}

function requireCrc({ crc, offset }: PagePart): void {
  if (crc === "wrong") {
    throw corrupt("page CRC mismatch", { offset, field: "crc" });
  }
}

/** Rows with all of their pages. Without row counts in headers, a row may continue on the next page. */
function coverage(pages: readonly PlacedPage[], leaf: Leaf, groupRows: number | undefined): RowRange[] {
  const covered: { from: number; to: number }[] = [];
  for (const [i, { firstRow, rows, part }] of pages.entries()) {
    const end = firstRow + rows;
    const next = pages[i + 1];
    const isClosed =
      leaf.maxRepetition === 0 ||
      part.header.rowCount !== undefined ||
      end === groupRows ||
      (next?.firstRow === end && next.part.offset === part.offset + part.size);
    const last = covered.at(-1);
    const to = isClosed ? end : end - 1;
    if (last !== undefined && last.to === firstRow) {
      last.to = to;
    } else if (to > firstRow) {
      covered.push({ from: firstRow, to });
    }
  }
  return covered.filter(({ from, to }) => from < to);
}
