/** The pages of a valid file of the same writer, by column: what pages and values of the damaged file probably look like. */
import type { ByteSource } from "@cfile/io";
import type { FileMetaData } from "hyparquet";
import { chunkStart } from "../read/column-chunk.js";
import type { PagePart } from "../walk/file-part.js";
import { walkFile } from "../walk/walk-file.js";

/** A chunk of the valid file. */
export interface SiblingChunk {
  /** Index of its leaf. */
  readonly column: number;
  readonly dictionary: PagePart | undefined;
  readonly pages: readonly PagePart[];
}

/** Bytes that are read, from the start of the file. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The chunks in the first bytes of the file, the last one perhaps incomplete. @throws {CFileError} `E_IO` when the source fails */
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

/** For each column, the data page with the most rows. */
export function largestPages(chunks: readonly SiblingChunk[]): (PagePart | undefined)[] {
  const largest: (PagePart | undefined)[] = [];
  for (const { column, pages } of chunks) {
    for (const page of pages) {
      if (page.header.valueCount > (largest[column]?.header.valueCount ?? 0)) {
        largest[column] = page;
      }
    }
  }
  return largest;
}
