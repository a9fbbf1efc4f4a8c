/**
 * The pages of a column chunk (specification 10): page headers and pages, one after the other, until there are as many values as
 * the chunk has. The chunk's stated size is not believed: some writers leave the dictionary's header out.
 */
import { ByteReader, CFileError, corrupt, crc32 } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import type { ColumnMetaData } from "hyparquet";
import { type DataPage, readDataPage } from "./data-page.js";
import type { Leaf } from "./leaf-schema.js";
import { type LeafValues, leafWidth, plainValues } from "./leaf-values.js";
import { decompressPage, type PageDecompressors } from "./page-codec.js";
import { type PageHeader, PLAIN, PLAIN_DICTIONARY, readPageHeader } from "./page-header.js";

export interface ChunkOptions {
  /** Codecs beside Snappy, gzip and LZ4 blocks. */
  readonly decompressors?: PageDecompressors | undefined;
  /** Whether CRCs are compared, where pages have them. Default `true`. */
  readonly verifyChecksums?: boolean | undefined;
  /** Most bytes of a page, stored and expanded. Default 256 MiB. */
  readonly maxPageBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What became of a page. */
export interface PageVisit {
  readonly kind: "data" | "dictionary";
  /** Number of the data page in its chunk, from 0. */
  readonly page: number;
  /** File offset of its header. */
  readonly offset: number;
  readonly valueCount: number;
  /** v2: rows of the page. */
  readonly rowCount: number | undefined;
  readonly crc: "right" | "wrong" | "absent" | "unchecked";
  /** The page, or why it is lost; a dictionary page has none. */
  readonly data: DataPage | undefined;
  readonly error: CFileError | undefined;
}

/** The rest of a chunk after a header that cannot be read. */
export interface ChunkBreak {
  readonly kind: "rest";
  readonly page: number;
  readonly offset: number;
  readonly valueCount: number;
  readonly error: CFileError;
}

const DEFAULT_MAX_PAGE_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 4096;
const MAX_HEADER_BYTES = 1024 * 1024;
/** As much as chunks of some writers are longer than stated. */
const SLACK = 100;
const MAX_PAGE_VALUES = 2 ** 27;

/** Where a chunk's pages begin. */
export function chunkStart(meta: ColumnMetaData): number {
  const data = Number(meta.data_page_offset);
  const dictionary = Number(meta.dictionary_page_offset ?? 0);
  return dictionary >= 4 && dictionary < data ? dictionary : data;
}

/**
 * Visits the pages in order. Nothing is thrown for damage: a lost page is passed over, a lost header ends the chunk.
 *
 * @param limit file offset that no page passes: the next chunk, or the footer
 */
export async function* readChunk(
  source: ByteSource,
  leaf: Leaf,
  meta: ColumnMetaData,
  limit: number,
  options: ChunkOptions = {},
): AsyncGenerator<PageVisit | ChunkBreak, void, void> {
  const start = chunkStart(meta);
  const total = Number(meta.num_values);
  const end = Math.min(limit, start + Number(meta.total_compressed_size) + SLACK);
  let offset = start;
  let page = 0;
  let read = 0;
  let words: LeafValues | CFileError | undefined;
  while (read < total) {
    let found: FoundPage;
    try {
      found = await readPage(source, offset, end, total - read, options);
    } catch (error) {
      yield { kind: "rest", page, offset, valueCount: total - read, error: asError(error, source, offset) };
      return;
    }
    const { header, stored } = found;
    const at = offset;
    offset = found.end;
    if (header.kind === "other") {
      continue;
    }
    const crc = crcOf(header, stored, options);
    const visit = { page, offset: at, valueCount: header.valueCount, rowCount: header.rowCount, crc };
    let data: DataPage | undefined;
    let error: CFileError | undefined;
    try {
      if (crc === "wrong") {
        throw new CFileError("E_CHECKSUM", "the page's CRC is another", {
          field: "crc",
          expected: header.crc,
          actual: crc32(stored),
        });
      }
      const expand = (bytes: Uint8Array, size: number) =>
        decompressPage(meta.codec, bytes, size, options.decompressors);
      if (header.kind === "dictionary") {
        words = readDictionary(expand(stored, header.uncompressedSize), header, leaf);
      } else {
        if (words instanceof CFileError && header.encoding !== PLAIN) {
          throw words;
        }
        data = readDataPage(stored, header, leaf, words instanceof CFileError ? undefined : words, expand);
        if (read === 0 && data.repetitions !== undefined && data.repetitions[0] !== 0) {
          throw corrupt("the first value continues a row that there is not", { field: "repetition levels" });
        }
      }
    } catch (thrown) {
      data = undefined;
      error = asError(thrown, source, at);
      words = header.kind === "dictionary" ? error : words;
    }
    yield { ...visit, kind: header.kind === "dictionary" ? "dictionary" : "data", data, error };
    if (header.kind !== "dictionary") {
      read += header.valueCount;
      page++;
    }
  }
}

interface FoundPage {
  readonly header: PageHeader;
  readonly stored: Uint8Array;
  readonly end: number;
}

async function readPage(
  source: ByteSource,
  offset: number,
  end: number,
  most: number,
  { maxPageBytes = DEFAULT_MAX_PAGE_BYTES, signal }: ChunkOptions,
): Promise<FoundPage> {
  let size = HEADER_BYTES;
  for (;;) {
    const length = Math.min(size, end - offset);
    if (!(length > 0)) {
      throw new CFileError("E_TRUNCATED", "the chunk ends before its values do", { field: "page header" });
    }
    const bytes = await readExactly(source, offset, length, { signal, field: "page header" });
    const reader = new ByteReader(bytes);
    let header: PageHeader;
    try {
      header = readPageHeader(reader);
    } catch (error) {
      const isShort = error instanceof CFileError && error.code === "E_TRUNCATED";
      if (isShort && length === size && size < MAX_HEADER_BYTES) {
        size *= 8;
        continue;
      }
      throw error;
    }
    const body = offset + reader.position;
    checkSizes(header, end - body, most, maxPageBytes);
    const have = bytes.subarray(reader.position, reader.position + header.storedSize);
    const stored =
      have.length === header.storedSize
        ? have
        : await readExactly(source, body, header.storedSize, { signal, field: "page" });
    return { header, stored, end: body + header.storedSize };
  }
}

function checkSizes(header: PageHeader, room: number, most: number, maxPageBytes: number): void {
  const { storedSize, uncompressedSize, valueCount, kind } = header;
  if (storedSize > room) {
    throw corrupt(`a page of ${storedSize} bytes where ${room} are left`, { field: "compressed page size" });
  }
  if (storedSize > maxPageBytes || uncompressedSize > maxPageBytes) {
    throw new CFileError("E_LIMIT", `a page of ${Math.max(storedSize, uncompressedSize)} bytes`, {
      field: "uncompressed page size",
      expected: maxPageBytes,
    });
  }
  const isData = kind === "data-v1" || kind === "data-v2";
  if (isData && (valueCount > most || valueCount > MAX_PAGE_VALUES)) {
    throw corrupt(`a page of ${valueCount} values where ${most} are left`, { field: "number of values" });
  }
}

function crcOf(header: PageHeader, stored: Uint8Array, options: ChunkOptions): PageVisit["crc"] {
  if (header.crc === undefined) {
    return "absent";
  }
  if (options.verifyChecksums === false) {
    return "unchecked";
  }
  return crc32(stored) === header.crc ? "right" : "wrong";
}

function readDictionary(bytes: Uint8Array, header: PageHeader, leaf: Leaf): LeafValues {
  if (header.encoding !== PLAIN && header.encoding !== PLAIN_DICTIONARY) {
    throw new CFileError("E_UNSUPPORTED", `a dictionary with encoding ${header.encoding}`, {
      field: "encoding",
    });
  }
  const width = leafWidth(leaf.type, leaf.element.type_length);
  if (width === 0) {
    throw corrupt("a dictionary of booleans", { field: "dictionary page" });
  }
  return plainValues(bytes, 0, header.valueCount, width);
}

/** An error with the page it belongs to. */
function asError(error: unknown, source: ByteSource, offset: number): CFileError {
  if (!(error instanceof CFileError)) {
    throw error;
  }
  return error.within({ path: source.name, block: { offset, size: 0 } });
}
