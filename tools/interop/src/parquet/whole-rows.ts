/** Determines which rows of a flat Parquet file are complete when some of its bytes are lost. */
import type { ByteSource } from "@cfile/io";
import { chunkPages, describeParquet } from "@cfile/parquet/inspect";

/** File offsets; `to` is exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

interface RowPage extends ByteRange {
  /** First row of the file, and the row after the last one. */
  readonly rows: ByteRange;
  /** The dictionary that the page needs. */
  readonly dictionary: ByteRange | undefined;
}

/** The pages of a valid file. */
export interface PageMap {
  readonly rowCount: number;
  readonly pages: readonly RowPage[];
  /** End offsets of pages, including dictionaries. */
  readonly ends: readonly number[];
  /** Offset after the last page. */
  readonly end: number;
  /** Offset of the footer's metadata. */
  readonly footer: number;
  readonly hasChecksums: boolean;
}

export async function pageMap(source: ByteSource): Promise<PageMap> {
  const { rows: rowCount, rowGroups, footer } = await describeParquet(source);
  const pages: RowPage[] = [];
  const ends: number[] = [];
  let hasChecksums = true;
  let first = 0;
  for (const { rows, chunks } of rowGroups) {
    for (const chunk of chunks) {
      let at = first;
      let dictionary: ByteRange | undefined;
      for await (const { kind, offset, size, values, encoding, crc } of chunkPages(source, chunk)) {
        const range = { from: offset, to: offset + size };
        ends.push(range.to);
        hasChecksums &&= crc !== undefined;
        if (kind === "dictionary") {
          dictionary = range;
          continue;
        }
        const own = { from: at, to: at + values };
        pages.push({ ...range, rows: own, dictionary: /DICTIONARY/.test(encoding) ? dictionary : undefined });
        at += values;
      }
    }
    first += rows;
  }
  return { rowCount, pages, ends, end: Math.max(4, ...ends), footer: footer.offset, hasChecksums };
}

/** For each row, whether all of its pages are outside the lost bytes. */
export function wholeRows({ rowCount, pages }: PageMap, lost: ByteRange): boolean[] {
  const isLost = (range: ByteRange | undefined): boolean =>
    range !== undefined && range.from < lost.to && lost.from < range.to;
  const whole = new Array<boolean>(rowCount).fill(true);
  for (const page of pages) {
    if (isLost(page) || isLost(page.dictionary)) {
      whole.fill(false, page.rows.from, page.rows.to);
    }
  }
  return whole;
}
