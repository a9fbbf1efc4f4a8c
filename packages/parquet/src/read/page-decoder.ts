/** Decodes the pages of a column chunk: verifies them, and holds the chunk's dictionary. */
import { ByteReader, CFileError, corrupt, findingOf } from "@cfile/bytes";
import type { ByteSource } from "@cfile/io";
import type { ColumnMetaData } from "hyparquet";
import { Encodings } from "hyparquet/src/constants.js";
import type { ChunkCipher } from "../crypto/module-cipher.js";
import { type DataPage, readDataPage } from "../pages/data-page.js";
import { type LeafValues, leafWidth, plainValues } from "../pages/leaf-values.js";
import type { PageExpander } from "../pages/page-codec.js";
import { type PageHeader, pageCrc } from "../pages/page-header.js";
import type { PageLocation } from "../pages/page-locations.js";
import type { Leaf } from "../schema/leaf-schema.js";
import type { FoundPage } from "./page-reader.js";

/** A page that was read or lost, or the lost rest of a chunk. */
export interface PageVisit {
  readonly kind: "data" | "dictionary" | "rest";
  /** Index of the data page in its chunk. */
  readonly page: number;
  /** File offset of its header. */
  readonly offset: number;
  /** Values and nulls; `undefined` for a page of arrays whose header is lost. */
  readonly valueCount: number | undefined;
  /** Rows of the page, if its header or the offset index states them. */
  readonly rowCount: number | undefined;
  /** First row in the row group, if the offset index states it. */
  readonly firstRow: number | undefined;
  readonly crc: "right" | "wrong" | "absent" | "unchecked";
  /** The page; `undefined` for a dictionary page, and for a lost page, whose reason is `error`. */
  readonly data: DataPage | undefined;
  readonly error: CFileError | undefined;
}

/** File offset of a chunk's first page. */
export function chunkStart(meta: ColumnMetaData): number {
  const data = Number(meta.data_page_offset);
  const dictionary = Number(meta.dictionary_page_offset ?? 0);
  return dictionary >= 4 && dictionary < data ? dictionary : data;
}

/** A chunk, as described by its row group's metadata. */
export interface ChunkInfo {
  readonly leaf: Leaf;
  readonly meta: ColumnMetaData;
  /** Exclusive end of the pages, as a file offset: the next chunk or the footer. */
  readonly limit: number;
  readonly rows: number;
  /** The offset index, if headers are checked against it: headers have no CRC. */
  readonly locations: readonly PageLocation[] | undefined;
  /** The cipher of the chunk, if it is encrypted. */
  readonly cipher: ChunkCipher | undefined;
}

/** Decodes the pages of a chunk in order; holds its dictionary, or the error in it. */
export class PageDecoder {
  private readonly source: ByteSource;
  private readonly chunk: ChunkInfo;
  private readonly expand: PageExpander;
  private words: LeafValues | CFileError | undefined;

  constructor(source: ByteSource, chunk: ChunkInfo, expand: PageExpander) {
    this.source = source;
    this.chunk = chunk;
    this.expand = expand;
  }

  visit(found: FoundPage, page: number, offset: number, verify = true): PageVisit {
    const { leaf, locations, rows } = this.chunk;
    const { header, stored } = found;
    const actual = header.crc !== undefined && verify ? pageCrc(stored) : undefined;
    const checked = actual === header.crc ? "right" : "wrong";
    const crc = header.crc === undefined ? "absent" : actual === undefined ? "unchecked" : checked;
    const isDictionary = header.kind === "dictionary";
    const own = locations?.[page];
    const isListed = !isDictionary && own?.offset === offset;
    const listedRows = isListed ? (locations?.[page + 1]?.firstRow ?? rows) - own.firstRow : undefined;
    let data: DataPage | undefined;
    let error: CFileError | undefined;
    try {
      if (crc === "wrong") {
        throw new CFileError("E_CHECKSUM", "page CRC mismatch", {
          field: "crc",
          expected: header.crc,
          actual,
        });
      }
      data = this.decode(found, page, listedRows);
    } catch (thrown) {
      error = asError(thrown, this.source, offset);
    }
    if (isDictionary) {
      this.words = error ?? this.words;
    }
    // The damage to a lost page may be in its header.
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
    { header, body }: FoundPage,
    number: number,
    rows: number | undefined,
  ): DataPage | undefined {
    const { meta, leaf, locations } = this.chunk;
    const { expand, words } = this;
    if (locations !== undefined) {
      requireStated(header, meta, leaf, rows);
    }
    if (header.kind === "dictionary") {
      this.words = readDictionary(expand(body, header.uncompressedSize), header, leaf);
      return undefined;
    }
    if (words instanceof CFileError && isCoded(header.encoding)) {
      throw words;
    }
    const page = { header, leaf, words: words instanceof CFileError ? undefined : words };
    const data = readDataPage(body, page, expand);
    if (number === 0 && (data.repetitions?.[0] ?? 0) !== 0) {
      throw corrupt("the first value of the chunk continues a row", { field: "repetition levels" });
    }
    return data;
  }
}

/** Requires that a header agrees with the offset index and the chunk's metadata. */
function requireStated(header: PageHeader, meta: ColumnMetaData, leaf: Leaf, rows: number | undefined): void {
  const count = leaf.maxRepetition === 0 ? header.valueCount : header.rowCount;
  if (rows !== undefined && count !== undefined && count !== rows) {
    const reason = `page has ${count} rows (expected ${rows}, from the offset index)`;
    throw corrupt(reason, { field: "number of values" });
  }
  const names: readonly string[] = meta.encodings;
  const { encoding } = header;
  // Some writers list no encodings.
  const isKnown =
    names.length === 0 ||
    !Encodings.some((name) => name === encoding) ||
    names.includes(encoding) ||
    (isCoded(encoding) && names.some(isCoded));
  if (header.kind !== "dictionary" && !isKnown) {
    const reason = `page has encoding ${encoding} (the chunk has ${names.join(", ")})`;
    throw corrupt(reason, { field: "encoding" });
  }
}

const isCoded = (encoding: string): boolean =>
  encoding === "PLAIN_DICTIONARY" || encoding === "RLE_DICTIONARY";

function readDictionary(bytes: Uint8Array, { encoding, valueCount }: PageHeader, leaf: Leaf): LeafValues {
  if (encoding !== "PLAIN" && encoding !== "PLAIN_DICTIONARY") {
    const reason = `unsupported encoding ${encoding} of a dictionary`;
    throw new CFileError("E_UNSUPPORTED", reason, { field: "encoding" });
  }
  const width = leafWidth(leaf);
  if (width === 0) {
    throw corrupt("a dictionary of booleans", { field: "dictionary page" });
  }
  return plainValues(new ByteReader(bytes), valueCount, width);
}

/** Adds the page's location to damage. @throws any other error, such as `E_IO` */
export function asError(error: unknown, source: ByteSource, offset: number): CFileError {
  return findingOf(error).within({ path: source.name, block: { offset, size: 0 } });
}
