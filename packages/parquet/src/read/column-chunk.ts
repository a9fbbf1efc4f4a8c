/**
 * The pages of a column chunk (docs/spec/parquet.md#10-column-chunk-traversal): page headers and pages, one after the other,
 * until there are as many values as the chunk has. The chunk's stated size is not believed: some writers leave the dictionary's
 * header out.
 */
import { ByteReader, CFileError, corrupt } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import type { ColumnMetaData } from "hyparquet";
import { type DataPage, readDataPage } from "../pages/data-page.js";
import { type LeafValues, leafWidth, plainValues } from "../pages/leaf-values.js";
import { loadPageExpander, type PageDecompressors, type PageExpander } from "../pages/page-codec.js";
import {
  ENCODING_NAMES,
  type PageHeader,
  PLAIN,
  PLAIN_DICTIONARY,
  pageCrc,
  RLE_DICTIONARY,
  readPageHeader,
} from "../pages/page-header.js";
import type { PagePlace } from "../pages/page-places.js";
import type { Leaf } from "../schema/leaf-schema.js";

/** How pages are decompressed and verified. */
export interface ChunkOptions {
  /** Functions that replace the built-in codecs (all except LZO). */
  readonly decompressors?: PageDecompressors | undefined;
  /** Whether to verify CRCs, where pages have them. Default `true`. */
  readonly verifyChecksums?: boolean | undefined;
  /** Whether to continue after a damaged page header at the next page of the offset index. Default `true`. */
  readonly useOffsetIndex?: boolean | undefined;
  /** Maximum bytes of a page, stored and decompressed. Default 256 MiB. */
  readonly maxPageBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A page that was read or lost. */
export interface PageVisit {
  readonly kind: "data" | "dictionary";
  /** Number of the data page in its chunk, from 0. */
  readonly page: number;
  /** File offset of its header. */
  readonly offset: number;
  /** Values and nulls; `undefined` for a page of arrays whose header is lost. */
  readonly valueCount: number | undefined;
  /** Rows of the page, where its header or the offset index says them. */
  readonly rowCount: number | undefined;
  /** First row in the row group; known behind damage from the offset index alone. */
  readonly firstRow: number | undefined;
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
  readonly valueCount: number | undefined;
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

/** A chunk as its row group's metadata have it. */
export interface ChunkPlace {
  readonly leaf: Leaf;
  readonly meta: ColumnMetaData;
  /** File offset that no page passes: the next chunk, or the footer. */
  readonly limit: number;
  readonly rows: number;
  /** The offset index, where headers are not believed without it: none of the two has a CRC. */
  readonly places: readonly PagePlace[] | undefined;
}

/**
 * Visits the pages in order. Damage is not thrown: a lost page is skipped; a lost header loses its page if the offset index has
 * the next one, else the rest of the chunk.
 */
export async function* readChunk(
  source: ByteSource,
  chunk: ChunkPlace,
  options: ChunkOptions = {},
): AsyncGenerator<PageVisit | ChunkBreak, void, void> {
  const { meta, leaf, limit, places } = chunk;
  const decoder = new PageDecoder(source, chunk, await loadPageExpander(meta.codec, options.decompressors));
  const total = Number(meta.num_values);
  let offset = chunkStart(meta);
  const end = Math.min(limit, offset + Number(meta.total_compressed_size) + SLACK);
  const window = new ChunkWindow(source, end, options.signal);
  let page = 0;
  /** Values read; `undefined` once pages of arrays are lost, which nobody can count. */
  let read: number | undefined = 0;
  while (read === undefined ? page < (places?.length ?? 0) : read < total) {
    const at = offset;
    const left = total - (read ?? 0);
    let visit: PageVisit;
    try {
      const found = await readPage(window, at, end, left, options);
      offset = found.end;
      if (found.header.kind === "other") {
        continue;
      }
      visit = decoder.visit(found, page, at, crcOf(found, options));
    } catch (thrown) {
      const error = asError(thrown, source, at);
      const known = jumpOver(places, page, at, leaf, left);
      if (known === undefined) {
        yield { kind: "rest", page, offset: at, valueCount: read && left, error };
        return;
      }
      visit = { kind: "data", page, offset: at, ...known, crc: "unchecked", data: undefined, error };
    }
    yield visit;
    if (visit.kind === "data") {
      const next = places?.[page + 1];
      if (visit.error !== undefined && visit.firstRow !== undefined && next !== undefined) {
        offset = next.offset;
      }
      read = read === undefined || visit.valueCount === undefined ? undefined : read + visit.valueCount;
      page++;
    }
  }
}

/** Decodes the pages of a chunk in order, and keeps its dictionary or the error in it. */
class PageDecoder {
  private readonly source: ByteSource;
  private readonly chunk: ChunkPlace;
  private readonly expand: PageExpander;
  private words: LeafValues | CFileError | undefined;

  constructor(source: ByteSource, chunk: ChunkPlace, expand: PageExpander) {
    this.source = source;
    this.chunk = chunk;
    this.expand = expand;
  }

  visit(found: FoundPage, page: number, offset: number, crc: PageVisit["crc"]): PageVisit {
    const { leaf, places, rows } = this.chunk;
    const { header } = found;
    const own = places?.[page];
    const isListed = header.kind !== "dictionary" && own?.offset === offset;
    const listedRows = isListed ? (places?.[page + 1]?.firstRow ?? rows) - own.firstRow : undefined;
    let data: DataPage | undefined;
    let error: CFileError | undefined;
    try {
      requireCrc(crc, found);
      data = this.decode(found, page, listedRows);
    } catch (thrown) {
      error = asError(thrown, this.source, offset);
    }
    const isDictionary = header.kind === "dictionary";
    if (isDictionary) {
      this.words = error ?? this.words;
    }
    // The header of a page that is lost may be what is wrong with it.
    const isDoubtful = error !== undefined && listedRows !== undefined;
    const doubtful = leaf.maxRepetition === 0 ? listedRows : undefined;
    return {
      kind: isDictionary ? "dictionary" : "data",
      page,
      offset,
      valueCount: isDoubtful ? doubtful : header.valueCount,
      rowCount: listedRows ?? header.rowCount,
      firstRow: isListed ? own.firstRow : undefined,
      crc,
      data,
      error,
    };
  }

  private decode(
    { header, stored }: FoundPage,
    number: number,
    rows: number | undefined,
  ): DataPage | undefined {
    const { meta, leaf, places } = this.chunk;
    const { expand, words } = this;
    if (places !== undefined) {
      requireStated(header, meta, leaf, rows);
    }
    if (header.kind === "dictionary") {
      this.words = readDictionary(expand(stored, header.uncompressedSize), header, leaf);
      return undefined;
    }
    if (words instanceof CFileError && isCoded(header)) {
      throw words;
    }
    const page = { header, leaf, words: words instanceof CFileError ? undefined : words };
    const data = readDataPage(stored, page, expand);
    if (number === 0 && data.repetitions !== undefined && (data.repetitions[0] ?? 0) !== 0) {
      throw corrupt("the first value of the chunk continues a row", { field: "repetition levels" });
    }
    return data;
  }
}

/** What a header says, and the metadata too. */
function requireStated(header: PageHeader, meta: ColumnMetaData, leaf: Leaf, rows: number | undefined): void {
  const count = leaf.maxRepetition === 0 ? header.valueCount : header.rowCount;
  if (rows !== undefined && count !== undefined && count !== rows) {
    throw corrupt(`a page of ${count} rows, the offset index says ${rows}`, { field: "number of values" });
  }
  const names: readonly string[] = meta.encodings;
  const own = ENCODING_NAMES[header.encoding];
  const isKnown = own === undefined || names.includes(own) || (isCoded(header) && names.some(isCodedName));
  if (header.kind !== "dictionary" && !isKnown) {
    throw corrupt(`a page with encoding ${own}, the chunk has ${names.join(", ")}`, { field: "encoding" });
  }
}

const isCodedName = (name: string): boolean => name === "PLAIN_DICTIONARY" || name === "RLE_DICTIONARY";

const isCoded = ({ encoding }: PageHeader): boolean =>
  encoding === PLAIN_DICTIONARY || encoding === RLE_DICTIONARY;

/** The offset index entry of a page whose header is lost; `undefined` without one, or without a next page. */
function jumpOver(places: readonly PagePlace[] = [], page: number, offset: number, leaf: Leaf, left: number) {
  const [own, next] = [places[page], places[page + 1]];
  if (own?.offset !== offset || next === undefined) {
    return undefined;
  }
  const rowCount = next.firstRow - own.firstRow;
  const valueCount = leaf.maxRepetition === 0 ? rowCount : undefined;
  return rowCount >= left ? undefined : { firstRow: own.firstRow, rowCount, valueCount };
}

function requireCrc(crc: PageVisit["crc"], { header, stored }: FoundPage): void {
  if (crc === "wrong") {
    const details = { field: "crc", expected: header.crc, actual: pageCrc(stored) };
    throw new CFileError("E_CHECKSUM", "page CRC mismatch", details);
  }
}

interface FoundPage {
  readonly header: PageHeader;
  readonly stored: Uint8Array;
  readonly end: number;
}

async function readPage(
  window: ChunkWindow,
  offset: number,
  end: number,
  most: number,
  { maxPageBytes = DEFAULT_MAX_PAGE_BYTES }: ChunkOptions,
): Promise<FoundPage> {
  let size = HEADER_BYTES;
  for (;;) {
    const length = Math.min(size, end - offset);
    if (!(length > 0)) {
      throw new CFileError("E_TRUNCATED", "the chunk ends before its values do", { field: "page header" });
    }
    const bytes = await window.from(offset, length, "page header");
    const reader = new ByteReader(bytes);
    let header: PageHeader;
    try {
      header = readPageHeader(reader);
    } catch (error) {
      const isShort = error instanceof CFileError && error.code === "E_TRUNCATED";
      if (isShort && bytes.length < end - offset && size < MAX_HEADER_BYTES) {
        size = 8 * Math.max(size, bytes.length);
        continue;
      }
      throw error;
    }
    const body = offset + reader.position;
    checkSizes(header, end - body, most, maxPageBytes);
    const stored = await window.from(body, header.storedSize, "page");
    return { header, stored: stored.subarray(0, header.storedSize), end: body + header.storedSize };
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

function crcOf({ header, stored }: FoundPage, options: ChunkOptions): PageVisit["crc"] {
  if (header.crc === undefined) {
    return "absent";
  }
  if (options.verifyChecksums === false) {
    return "unchecked";
  }
  return pageCrc(stored) === header.crc ? "right" : "wrong";
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

/** Bytes per request; larger pages are read whole. */
const WINDOW_BYTES = 256 * 1024;

/** The bytes of a chunk, read in order and many at a time. */
class ChunkWindow {
  private readonly source: ByteSource;
  /** File offset that is not passed. */
  private readonly end: number;
  private readonly signal: AbortSignal | undefined;
  private start = 0;
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource, end: number, signal: AbortSignal | undefined) {
    this.source = source;
    this.end = end;
    this.signal = signal;
  }

  /** At least `length` bytes from `offset` on, all before the end. */
  async from(offset: number, length: number, field: string): Promise<Uint8Array> {
    const at = offset - this.start;
    if (at < 0 || at + length > this.bytes.length) {
      const size = Math.min(Math.max(length, WINDOW_BYTES), this.end - offset);
      this.bytes = await readExactly(this.source, offset, size, { signal: this.signal, field });
      this.start = offset;
    }
    return this.bytes.subarray(offset - this.start);
  }
}
