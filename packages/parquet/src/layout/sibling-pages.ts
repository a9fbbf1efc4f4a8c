/** The pages of a valid file of the same writer, by column: what pages and values of the damaged file probably look like. */
import type { ByteSource } from "@cfile/io";
import type { FileMetaData } from "hyparquet";
import { chunkStart } from "../read/page-decoder.js";
import type { PagePart } from "../walk/file-part.js";
import { walkFile } from "../walk/walk-file.js";

/** A chunk of the valid file. */
export interface SiblingChunk {
  /** Index of its leaf. */
  readonly column: number;
  readonly dictionary: PagePart | undefined;
  readonly pages: readonly PagePart[];
}

/** Maximum bytes read, from the start of the file. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The chunks in the first bytes of the file, the last chunk may be incomplete. @throws {CFileError} `E_IO` when the source fails */
export async function siblingChunks(
  source: ByteSource,
  { row_groups: groups }: FileMetaData,
  signal: AbortSignal | undefined,
): Promise<SiblingChunk[]> {
  const starts = groups
    .flatMap(({ columns }) =>
      columns.flatMap(({ meta_data: meta }, column) =>
        meta === undefined ? [] : [{ column, from: chunkStart(meta) }],
      ),
    )
    .sort((a, b) => a.from - b.from);
  const size = Math.min(await source.size(), MAX_BYTES);
  const start: ByteSource = { ...source, read: source.read.bind(source), size: () => Promise.resolve(size) };
  const chunks: { column: number; dictionary: PagePart | undefined; pages: PagePart[] }[] = [];
  let next = 0;
  for await (const part of walkFile(start, { verifyChecksums: false, signal })) {
    if (part.kind !== "page") {
      continue;
    }
    for (let own = starts[next]; own !== undefined && own.from <= part.offset; own = starts[++next]) {
      chunks.push({ column: own.column, dictionary: undefined, pages: [] });
    }
    const chunk = chunks.at(-1);
    if (part.header.kind === "dictionary" && chunk !== undefined) {
      chunk.dictionary = part;
    } else {
      chunk?.pages.push(part);
    }
  }
  return chunks;
}

/** What the pages of a column have in common: only the last page of a chunk is smaller than the largest page. */
export interface PageHabit {
  /** The page with the most values. */
  readonly largest: PagePart;
  /** Number of values of the longest chunk; in longer chunks, pages may end for other reasons. */
  readonly chunkValues: number;
}

/** The habit of each column; `undefined` for a column that also has smaller pages. */
export function pageHabits(chunks: readonly SiblingChunk[]): (PageHabit | undefined)[] {
  const habits: (PageHabit | undefined)[] = [];
  for (const { column, pages } of chunks) {
    const chunkValues = pages.reduce((sum, { header }) => sum + header.valueCount, 0);
    for (const page of pages) {
      const known = habits[column];
      const isLargest = known === undefined || page.header.valueCount > known.largest.header.valueCount;
      const longest = Math.max(chunkValues, known?.chunkValues ?? 0);
      habits[column] = { largest: isLargest ? page : known.largest, chunkValues: longest };
    }
  }
  const irregular = new Set(
    chunks
      .filter(({ column, pages }) =>
        pages.slice(0, -1).some((page) => isSmaller(page, habits[column]?.largest)),
      )
      .map(({ column }) => column),
  );
  return habits.map((habit, column) => (irregular.has(column) ? undefined : habit));
}

/** Whether the writer would have put more into the page, because it wrote another one with more rows and more bytes. */
function isSmaller({ header }: PagePart, largest: PagePart | undefined): boolean {
  return (
    largest !== undefined &&
    header.valueCount < largest.header.valueCount &&
    header.uncompressedSize < largest.header.uncompressedSize
  );
}

/** Whether the page must be the last one of its chunk. @param values number of values of the chunk up to the end of the page */
export function endsChunk(page: PagePart, habit: PageHabit | undefined, values: number): boolean {
  return habit !== undefined && values < habit.chunkValues && isSmaller(page, habit.largest);
}
