/** Reads page headers and pages of a chunk in order, with large reads. */
import { ByteReader, CFileError, concatBytes, corrupt, isCFileError } from "@cfile/bytes";
import { type ByteSource, readExactly } from "@cfile/io";
import type { ParquetKeys } from "../crypto/file-cipher.js";
import { type ChunkCipher, MODULE_OVERHEAD, moduleSize } from "../crypto/module-cipher.js";
import type { PageDecompressors } from "../pages/page-codec.js";
import { type PageHeader, readPageHeader } from "../pages/page-header.js";

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
  /** Keys for an encrypted file. Columns without a key are refused. */
  readonly keys?: ParquetKeys | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface FoundPage {
  readonly header: PageHeader;
  /** The page as stored. */
  readonly stored: Uint8Array;
  /** The decrypted page. */
  readonly body: Uint8Array;
  /** File offset after the page. */
  readonly end: number;
}

const DEFAULT_MAX_PAGE_BYTES = 256 * 1024 * 1024;
const HEADER_BYTES = 4096;
const MAX_HEADER_BYTES = 1024 * 1024;
/** Bytes of the length of an encrypted module. */
const MODULE_LENGTH = 4;
const MAX_PAGE_VALUES = 2 ** 27;
/** Bytes per request; larger pages are read whole. */
const WINDOW_BYTES = 256 * 1024;

export class PageReader {
  private readonly source: ByteSource;
  /** Exclusive end of the range, as a file offset. */
  private readonly end: number;
  private readonly options: ChunkOptions;
  private readonly cipher: ChunkCipher | undefined;
  private start = 0;
  private bytes: Uint8Array = new Uint8Array(0);

  constructor(source: ByteSource, end: number, options: ChunkOptions, cipher: ChunkCipher | undefined) {
    this.source = source;
    this.end = end;
    this.options = options;
    this.cipher = cipher;
  }

  /**
   * The page at a file offset.
   * @param maxValues values left in the chunk
   * @param ordinal index of a data page in the chunk; for a dictionary, the index of the next data page
   * @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` for a damaged header; `E_LIMIT` for a page that is too large; `E_CHECKSUM` for an
   *   encrypted page whose key is wrong
   */
  page(offset: number, maxValues: number, ordinal: number): Promise<FoundPage> {
    return this.cipher === undefined
      ? this.plainPage(offset, maxValues)
      : this.encryptedPage(offset, maxValues, ordinal, this.cipher);
  }

  private async encryptedPage(
    offset: number,
    maxValues: number,
    ordinal: number,
    cipher: ChunkCipher,
  ): Promise<FoundPage> {
    const room = this.end - offset;
    const head = await this.read(offset, Math.min(MODULE_LENGTH, room), "page header");
    const size = moduleSize(head) ?? Number.POSITIVE_INFINITY;
    if (!(size <= room && size <= MAX_HEADER_BYTES)) {
      throw corrupt(`encrypted page header of ${size} bytes (${room} bytes left)`, { field: "page header" });
    }
    const module = (await this.read(offset, size, "page header")).slice(0, size);
    const header = readPageHeader(new ByteReader(await decryptHeader(module, ordinal, cipher)));
    this.checkSizes(header, room - size, maxValues);
    const start = offset + size;
    const length = await this.read(start, Math.min(MODULE_LENGTH, room - size), "page");
    // DuckDB states the size of dictionaries before encryption.
    const isLonger = moduleSize(length) === header.storedSize + MODULE_OVERHEAD;
    const storedSize = header.storedSize + (isLonger ? MODULE_OVERHEAD : 0);
    if (storedSize > room - size) {
      throw corrupt(`encrypted page of ${storedSize} bytes exceeds its chunk`, { field: "page" });
    }
    const stored = (await this.read(start, storedSize, "page")).slice(0, storedSize);
    const body =
      header.kind === "dictionary"
        ? await cipher.decrypt(stored, "dictionaryPage")
        : await decryptData(header, stored, ordinal, cipher);
    return { header, stored, body, end: start + storedSize };
  }

  private async plainPage(offset: number, maxValues: number): Promise<FoundPage> {
    const room = this.end - offset;
    for (let size = HEADER_BYTES; ; ) {
      if (!(room > 0)) {
        throw new CFileError("E_TRUNCATED", "chunk ends before its last value", { field: "page header" });
      }
      const bytes = await this.read(offset, Math.min(size, room), "page header");
      const reader = new ByteReader(bytes);
      let header: PageHeader;
      try {
        header = readPageHeader(reader);
      } catch (error) {
        const isShort = error instanceof CFileError && error.code === "E_TRUNCATED";
        if (isShort && bytes.length < room && size < MAX_HEADER_BYTES) {
          size = 8 * Math.max(size, bytes.length);
          continue;
        }
        throw error;
      }
      this.checkSizes(header, room - reader.position, maxValues);
      const start = offset + reader.position;
      const stored = (await this.read(start, header.storedSize, "page")).subarray(0, header.storedSize);
      return { header, stored, body: stored, end: start + header.storedSize };
    }
  }

  private checkSizes(
    { storedSize, uncompressedSize, valueCount, kind }: PageHeader,
    room: number,
    maxValues: number,
  ) {
    const { maxPageBytes: expected = DEFAULT_MAX_PAGE_BYTES } = this.options;
    if (storedSize > room) {
      const reason = `page of ${storedSize} bytes exceeds its chunk (${room} bytes left)`;
      throw corrupt(reason, { field: "compressed page size" });
    }
    const size = Math.max(storedSize, uncompressedSize);
    if (size > expected) {
      const details = { field: "uncompressed page size", expected };
      throw new CFileError("E_LIMIT", `page of ${size} bytes exceeds maxPageBytes ${expected}`, details);
    }
    if (kind.startsWith("data") && valueCount > Math.min(maxValues, MAX_PAGE_VALUES)) {
      const reason = `page of ${valueCount} values exceeds its chunk (${maxValues} values left)`;
      throw corrupt(reason, { field: "number of values" });
    }
  }

  /** At least `length` bytes from `offset` on; all must lie before the end. */
  private async read(offset: number, length: number, field: string): Promise<Uint8Array> {
    const at = offset - this.start;
    if (at < 0 || at + length > this.bytes.length) {
      const size = Math.min(Math.max(length, WINDOW_BYTES), this.end - offset);
      this.bytes = await readExactly(this.source, offset, size, { signal: this.options.signal, field });
      this.start = offset;
    }
    return this.bytes.subarray(offset - this.start);
  }
}

/** The first page may be a dictionary, whose header has a different tag. */
async function decryptHeader(module: Uint8Array, ordinal: number, cipher: ChunkCipher): Promise<Uint8Array> {
  if (ordinal === 0) {
    try {
      return await cipher.decrypt(module, "dictionaryPageHeader");
    } catch (error) {
      if (!isCFileError(error, "E_CHECKSUM")) {
        throw error;
      }
    }
  }
  return cipher.decrypt(module, "dataPageHeader", ordinal);
}

/** A data page; parquet-java leaves the levels of version 2 in plain text before the module. */
async function decryptData(header: PageHeader, stored: Uint8Array, ordinal: number, cipher: ChunkCipher) {
  const levels = header.repetitionBytes + header.definitionBytes;
  const values = stored.subarray(levels);
  const isPlain = moduleSize(stored) !== stored.length && moduleSize(values) === values.length;
  return isPlain
    ? concatBytes([stored.subarray(0, levels), await cipher.decrypt(values, "dataPage", ordinal)])
    : cipher.decrypt(stored, "dataPage", ordinal);
}
