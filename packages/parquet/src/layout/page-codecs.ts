/** Finds the codec of pages whose chunk metadata are lost, from their first bytes and by decompressing them. */
import type { CompressionCodec } from "hyparquet";
import { loadPageExpander, type PageDecompressors, type PageExpander } from "../pages/page-codec.js";
import type { PageHeader } from "../pages/page-header.js";

/** Lazily loaded expanders. */
export class PageCodecs {
  private readonly given: PageDecompressors | undefined;
  private readonly loaded = new Map<CompressionCodec, PageExpander>();
  /** Pages found per codec: that of the most comes first. */
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

  /** Codecs that a page may have, the likely ones first. */
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
  const [a = 0, b = 0, c = 0, d = 0] = body;
  const found: CompressionCodec[] = [];
  if (a === 0x1f && b === 0x8b) {
    found.push("GZIP");
  }
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) {
    found.push("ZSTD");
  }
  // Before UNCOMPRESSED: bytes that are a valid Snappy stream of this length by accident are very unlikely.
  if (varint(body) === size) {
    found.push("SNAPPY");
  }
  if (body.length === size) {
    found.push("UNCOMPRESSED");
  }
  if (((a << 24) | (b << 16) | (c << 8) | d) === size) {
    found.push("LZ4");
  }
  return [...found, "LZ4_RAW", "BROTLI"];
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
