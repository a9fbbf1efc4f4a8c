/**
 * Walks a Parquet file from its start without its footer (docs/spec/parquet.md#15-files-without-a-footer): page headers state the size of
 * their page, and the next header follows. Where no header follows, the walk searches for the next bytes with the shape of one; a page
 * found this way counts if its CRC is right, or if another part of the file follows it.
 */
import { ByteReader, isCFileError, type WorkOptions } from "@cfile/bytes";
import { type ByteSource, sizeOf } from "@cfile/io";
import { Encodings } from "hyparquet/src/constants.js";
import { type PageHeader, pageCrc, readPageHeader } from "../pages/page-header.js";
import { ByteWindow } from "./byte-window.js";
import type { FilePart, OtherKind, OtherPart } from "./file-part.js";
import { findHeaderShape, hasHeaderShape, SHAPE_BYTES } from "./header-shape.js";
import { hasMetadataShape, readMetadataFields } from "./metadata-fields.js";
import { isEncrypted, readOtherPart } from "./other-parts.js";

/** How a file is walked. `onProgress` counts bytes. */
export interface WalkOptions extends WorkOptions {
  /** Whether to verify CRCs, where pages have them. Default `true`. */
  readonly verifyChecksums?: boolean | undefined;
  /** Maximum bytes of a page, stored and decompressed. Default 256 MiB. */
  readonly maxPageBytes?: number | undefined;
}

const DEFAULT_MAX_PAGE_BYTES = 256 * 1024 * 1024;
const MAX_PAGE_VALUES = 2 ** 27;
/** Bytes first read for a header; headers with long statistics are longer. */
const HEADER_BYTES = 4096;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_METADATA_BYTES = 256 * 1024 * 1024;
/** Footer length and magic number. */
const TAIL_BYTES = 8;
const MAX_INDEX_BYTES = 16 * 1024 * 1024;
/** First bytes of the Thrift structs between pages. */
const STARTS: readonly number[] = [0x15, 0x19, 0x26];
/** Maximum bytes read to check candidates of the search, per byte of the file. */
const SEARCH_FACTOR = 4;

/** All parts of a file, in order and without gaps. Damage is never thrown. @throws {CFileError} `E_IO` when the source fails */
export async function* walkFile(
  source: ByteSource,
  options: WalkOptions = {},
): AsyncGenerator<FilePart, void, void> {
  const { signal, onProgress } = options;
  const total = await sizeOf(source, { signal });
  const walk = new Walk(new ByteWindow(source, total, signal), options);
  for (let offset = 0; offset < total; ) {
    for (const part of await walk.next(offset)) {
      yield part;
      offset = part.offset + part.size;
    }
    signal?.throwIfAborted();
    onProgress?.({ done: offset, total });
  }
}

class Walk {
  private readonly window: ByteWindow;
  private readonly options: WalkOptions;
  /** File offset of the footer, if the end of the file states it: no earlier part extends beyond it. */
  private footer: number | undefined;
  /** Bytes that the search may still read to check candidates. */
  private budget: number;

  constructor(window: ByteWindow, options: WalkOptions) {
    this.window = window;
    this.options = options;
    this.budget = SEARCH_FACTOR * window.size + DEFAULT_MAX_PAGE_BYTES;
  }

  /** The part at `offset`, or unknown bytes and the part after them. */
  async next(offset: number): Promise<FilePart[]> {
    if (offset === 0) {
      this.footer = await this.footerOffset();
      const head = await this.window.at(0, 4);
      if (/^PAR[1E]$/.test(String.fromCharCode(...head))) {
        return [{ kind: "magic", offset, size: 4 }];
      }
    }
    const own = (await this.page(offset, false)) ?? (await this.other(offset));
    const isSure = own !== undefined && (await this.isSure(own));
    if (isSure) {
      return [own];
    }
    // The header of a cut page, or of a page that nothing follows, may be damaged; its range may then contain pages.
    const isDoubtful = own?.kind === "page";
    const found = await this.search(offset + 1, isDoubtful ? offset + own.size : this.endFor(offset));
    if (own !== undefined && found === undefined) {
      return [own];
    }
    const end = found?.offset ?? this.endFor(offset);
    const lost: OtherPart = { kind: await this.kindOf(offset, end), offset, size: end - offset };
    return found === undefined ? [lost] : [lost, found];
  }

  /** Where a part that starts at `offset` must end. */
  private endFor(offset: number): number {
    return this.footer !== undefined && offset < this.footer ? this.footer : this.window.size;
  }

  private async footerOffset(): Promise<number | undefined> {
    const { size } = this.window;
    const tail = await this.window.at(Math.max(0, size - TAIL_BYTES), TAIL_BYTES);
    const reader = new ByteReader(tail);
    if (tail.length < TAIL_BYTES || !String.fromCharCode(...tail).endsWith("PAR1")) {
      return undefined;
    }
    const offset = size - TAIL_BYTES - reader.u32le("footer length");
    return offset > 0 && hasMetadataShape(await this.window.at(offset, 64), 0) ? offset : undefined;
  }

  /** The page at `offset`, also if its CRC is wrong but the file continues after it. @param isFound whether the search found it */
  private async page(offset: number, isFound: boolean): Promise<FilePart | undefined> {
    const found = await this.headerAt(offset);
    if (found === undefined) {
      return undefined;
    }
    const { header, headerSize } = found;
    const limit = this.endFor(offset);
    const size = headerSize + header.storedSize;
    const end = offset + size;
    if (end > limit) {
      return isFound ? undefined : { kind: "cut-page", offset, size: limit - offset, header };
    }
    const { verifyChecksums = true } = this.options;
    const part = { kind: "page", offset, size, headerSize, header } as const;
    if (header.crc === undefined || !verifyChecksums) {
      const crc = header.crc === undefined ? "absent" : "unchecked";
      return !isFound || (await this.continuesAt(end)) ? { ...part, crc } : undefined;
    }
    const stored = await this.window.at(offset + headerSize, header.storedSize);
    if (pageCrc(stored) === header.crc) {
      return { ...part, crc: "right" };
    }
    return !isFound && (await this.continuesAt(end)) ? { ...part, crc: "wrong" } : undefined;
  }

  private async isSure(part: FilePart): Promise<boolean> {
    if (part.kind === "page") {
      return part.crc === "right" || (await this.continuesAt(part.offset + part.size));
    }
    return part.kind !== "cut-page";
  }

  /** A valid page header at `offset`. */
  private async headerAt(
    offset: number,
  ): Promise<{ readonly header: PageHeader; readonly headerSize: number } | undefined> {
    let bytes = await this.window.at(offset, HEADER_BYTES);
    if (!hasHeaderShape(bytes, 0)) {
      return undefined;
    }
    for (;;) {
      const reader = new ByteReader(bytes);
      try {
        const header = readPageHeader(reader);
        return this.isPlausible(header) ? { header, headerSize: reader.position } : undefined;
      } catch (error) {
        if (!isCFileError(error)) {
          throw error;
        }
        const length = 16 * bytes.length;
        const isCut = error.code === "E_TRUNCATED" && bytes.length >= HEADER_BYTES;
        if (!isCut || length > MAX_HEADER_BYTES) {
          return undefined;
        }
        const longer = await this.window.at(offset, length);
        if (longer.length === bytes.length) {
          return undefined;
        }
        bytes = longer;
      }
    }
  }

  private isPlausible(header: PageHeader): boolean {
    const { kind, storedSize, uncompressedSize, valueCount, encoding, rowCount = 0, nullCount = 0 } = header;
    const { maxPageBytes = DEFAULT_MAX_PAGE_BYTES } = this.options;
    const levelBytes = header.definitionBytes + header.repetitionBytes;
    const isLevel = (name: string): boolean => name === "RLE" || name === "BIT_PACKED";
    return (
      kind !== "other" &&
      Math.max(storedSize, uncompressedSize) <= maxPageBytes &&
      valueCount <= MAX_PAGE_VALUES &&
      Encodings.some((name) => name === encoding) &&
      isLevel(header.definitionEncoding) &&
      isLevel(header.repetitionEncoding) &&
      levelBytes <= Math.min(storedSize, uncompressedSize) &&
      Math.max(rowCount, nullCount) <= valueCount
    );
  }

  /** Whether a part of a Parquet file, or its end, is at `offset`. */
  private async continuesAt(offset: number): Promise<boolean> {
    const { size } = this.window;
    return (
      offset === size ||
      (await this.headerAt(offset)) !== undefined ||
      (await this.other(offset)) !== undefined
    );
  }

  private async other(offset: number): Promise<OtherPart | undefined> {
    const left = this.window.size - offset;
    let bytes = await this.window.at(offset, 64 * 1024);
    const isMetadata = hasMetadataShape(bytes, 0);
    if (!isMetadata && !STARTS.includes(bytes[0] ?? 0) && left !== 8) {
      return undefined;
    }
    if (isMetadata || bytes[0] === 0x19) {
      bytes = await this.window.at(offset, isMetadata ? MAX_METADATA_BYTES : MAX_INDEX_BYTES);
    }
    const found = readOtherPart(bytes, left);
    return found && offset + found.size <= this.endFor(offset) ? { ...found, offset } : undefined;
  }

  /** The first page or file metadata from `offset` to `end`. */
  private async search(offset: number, end: number): Promise<FilePart | undefined> {
    for (let at = offset; at < end; ) {
      this.options.signal?.throwIfAborted();
      const rest = await this.window.rest(at, 2 * SHAPE_BYTES);
      const bytes = rest.subarray(0, end - at);
      // A header that starts in the last bytes of the window is found in the next one.
      const isLast = at + bytes.length === end;
      const to = isLast ? bytes.length : Math.max(1, bytes.length - SHAPE_BYTES);
      const candidate = this.candidate(bytes, to);
      if (candidate < 0) {
        at += to;
        continue;
      }
      const found = await this.checked(at + candidate);
      if (found !== undefined) {
        return found;
      }
      at += candidate + 1;
    }
    return undefined;
  }

  private candidate(bytes: Uint8Array, to: number): number {
    const page = findHeaderShape(bytes, 0, to);
    const end = page < 0 ? to : page;
    for (let at = bytes.indexOf(0x15); at >= 0 && at < end; at = bytes.indexOf(0x15, at + 1)) {
      if (hasMetadataShape(bytes, at)) {
        return at;
      }
    }
    return page;
  }

  private async checked(offset: number): Promise<FilePart | undefined> {
    const header = await this.headerAt(offset);
    if (header !== undefined) {
      this.budget -= header.header.storedSize;
      return this.budget < 0 ? undefined : this.page(offset, true);
    }
    const bytes = await this.window.at(offset, MAX_METADATA_BYTES);
    this.budget -= bytes.length;
    if (this.budget < 0) {
      return undefined;
    }
    const found = hasMetadataShape(bytes, 0) ? readMetadataFields(bytes) : undefined;
    return found && { kind: "metadata", offset, size: found.size };
  }

  /** Classifies the bytes between parts. */
  private async kindOf(offset: number, end: number): Promise<OtherKind> {
    const bytes = await this.window.at(offset, Math.min(end - offset, HEADER_BYTES));
    if (bytes.every((byte) => byte === 0)) {
      return "zeros";
    }
    const longer = await this.window.at(offset, Math.min(end - offset, MAX_HEADER_BYTES));
    return isEncrypted(longer) ? "encrypted" : "unknown";
  }
}
