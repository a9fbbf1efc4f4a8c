/** Finds the codec of pages whose chunk metadata is lost, from their first bytes and by decompressing them. */
import type { CompressionCodec } from "hyparquet";
import { loadPageExpander, type PageDecompressors, type PageExpander } from "./page-codec.js";
import type { PageHeader } from "./page-header.js";

/** Lazily loaded expanders. */
export class PageCodecs {
  private readonly given: PageDecompressors | undefined;
  private readonly loaded = new Map<CompressionCodec, PageExpander>();
  /** Number of pages per codec; the most frequent codec comes first. */
  private readonly counts = new Map<CompressionCodec, number>();

  constructor(given: PageDecompressors | undefined) {
    this.given = given;
  }

  async expander(codec: CompressionCodec): Promise<PageExpander> {
    const known = this.loaded.get(codec) ?? (await loadPageExpander(codec, this.given));
    this.loaded.set(codec, known);
    return known;
  }

  /** Counts a page that could be decompressed. */
  found(codec: CompressionCodec): void {
    this.counts.set(codec, (this.counts.get(codec) ?? 0) + 1);
  }

  /** The codec of most pages so far. */
  usual(): CompressionCodec | undefined {
    return [...this.counts].sort((a, b) => b[1] - a[1])[0]?.[0];
  }

  /** Possible codecs of a page, the most likely first. */
  candidates(header: PageHeader, stored: Uint8Array, expected?: CompressionCodec): CompressionCodec[] {
    const possible = codecsOf(header, stored);
    const rank = (codec: CompressionCodec): number =>
      codec === expected ? Number.POSITIVE_INFINITY : (this.counts.get(codec) ?? 0);
    return possible.sort((a, b) => rank(b) - rank(a));
  }
}

function codecsOf(header: PageHeader, stored: Uint8Array): CompressionCodec[] {
  const levels = header.kind === "data-v2" ? header.definitionBytes + header.repetitionBytes : 0;
  const body = stored.subarray(levels);
  const size = header.uncompressedSize - levels;
  if (body.length === 0 || (header.kind === "data-v2" && !header.isCompressed)) {
    return ["UNCOMPRESSED", "SNAPPY", "GZIP", "ZSTD", "LZ4_RAW", "BROTLI", "LZ4"];
  }
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = body;
  const found: CompressionCodec[] = [];
  if (a === 0x1f && b === 0x8b) {
    found.push("GZIP");
  }
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) {
    found.push("ZSTD");
  }
  // Before UNCOMPRESSED, because other bytes are very unlikely to be a valid Snappy stream of this length.
  if (varint(body) === size) {
    found.push("SNAPPY");
  }
  if (body.length === size) {
    found.push("UNCOMPRESSED");
  }
  // Hadoop's LZ4: the sizes of the first block, before and after compression; larger pages have several blocks.
  const [blockSize, blockStored] = [u32be(a, b, c, d), u32be(e, f, g, h)];
  if (blockSize > 0 && blockSize <= size && blockStored + 8 <= body.length) {
    found.push("LZ4");
  }
  found.push("LZ4_RAW");
  if (mayBeBrotli(body, size)) {
    found.push("BROTLI");
  }
  return found;
}

/**
 * Whether a Brotli stream of `size` bytes can start this way. Brotli has no magic number to reject other bytes. Bits, from the low end of
 * each byte (RFC 7932, section 9):
 *
 * | bits | meaning |
 * | --- | --- |
 * | 1, 4 or 7 | size of the window |
 * | 1 | whether the first meta-block is the last; then 1: whether it is empty |
 * | 2 | number of nibbles of the length: 4, 5, 6; 3 stands for bytes to skip |
 * | 4 per nibble | length of the meta-block - 1 |
 */
function mayBeBrotli(bytes: Uint8Array, size: number): boolean {
  let at = 0;
  const take = (count: number): number => {
    let value = 0;
    for (let i = 0; i < count; i++, at++) {
      value += (((bytes[at >>> 3] ?? 0) >>> (at & 7)) & 1) * 2 ** i;
    }
    return value;
  };
  if (take(1) === 1 && take(3) === 0 && take(3) === 1) {
    return false;
  }
  const isLast = take(1) === 1;
  if (isLast && take(1) === 1) {
    return size === 0;
  }
  const nibbles = 4 + take(2);
  if (nibbles === 7) {
    const isReserved = take(1) === 1;
    return !isLast && !isReserved && take(8 * take(2)) < bytes.length;
  }
  const length = take(4 * nibbles) + 1;
  const isShortest = nibbles === 4 || length > 2 ** (4 * (nibbles - 1));
  return isShortest && (isLast ? length === size : length <= size);
}

function u32be(a: number, b: number, c: number, d: number): number {
  return ((a << 24) | (b << 16) | (c << 8) | d) >>> 0;
}

function varint(bytes: Uint8Array): number {
  let value = 0;
  for (let i = 0; i < 5; i++) {
    const byte = bytes[i] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * i);
    if (byte < 0x80) {
      return value;
    }
  }
  return -1;
}
