/** Compression of pages. Brotli and the LZ4 of Hadoop come with a library that is loaded when a chunk has them. */
import { CFileError } from "@cfile/bytes";
import type { Expander } from "@cfile/compression";
import { loadExpander } from "@cfile/compression";
import { zstdDecompress } from "@cfile/compression/codecs";
import { chooseDecoders } from "@cfile/kernels/decode";
import type { CompressionCodec } from "hyparquet";
import { mismatch } from "../schema/mismatch.js";
import { gzipMembers } from "./gzip-members.js";

/** Codecs by whoever reads, before those that are here: they give exactly `size` bytes, or throw. */
export type PageDecompressors = Partial<
  Record<CompressionCodec, (input: Uint8Array, size: number) => Uint8Array>
>;

/**
 * What decompresses a page to exactly so many bytes, in memory of its own where there is something to decompress.
 * @throws {CFileError} when it is called: `E_UNSUPPORTED` for a codec that nobody gave; `E_CORRUPT`, `E_TRUNCATED` for bytes that are
 *   not what it makes
 */
export type PageExpander = (input: Uint8Array, size: number) => Uint8Array;

/** The expander of a codec: the one that is given, or ours, whose code is loaded now. */
export async function loadPageExpander(
  codec: CompressionCodec,
  given: PageDecompressors = {},
): Promise<PageExpander> {
  const own = given[codec];
  if (own !== undefined) {
    return foreign(codec, own);
  }
  switch (codec) {
    case "UNCOMPRESSED":
      return (input, size) => ofSize(input, size, codec);
    case "SNAPPY":
      return filling(await loadExpander("SNAPPY", chooseDecoders()));
    case "LZ4_RAW":
      return filling(await loadExpander("LZ4", chooseDecoders()));
    case "GZIP":
      return filling({ decompress: gzipMembers });
    case "ZSTD":
      return (input, size) => {
        const output = new Uint8Array(size);
        return ofSize(output.subarray(0, zstdDecompress(input, output)), size, codec);
      };
    case "BROTLI":
      return foreign(codec, (await import("hyparquet-compressors")).decompressBrotli);
    case "LZ4":
      return foreign(codec, (await import("hyparquet-compressors")).decompressLz4);
    default:
      return () => {
        throw new CFileError("E_UNSUPPORTED", `no codec for ${codec}`, { field: "codec", actual: codec });
      };
  }
}

function filling(expander: Pick<Expander, "decompress">): PageExpander {
  return (input, size) => {
    const output = new Uint8Array(size);
    expander.decompress(input, output);
    return output;
  };
}

function foreign(codec: CompressionCodec, decompress: PageExpander): PageExpander {
  return (input, size) => {
    let bytes: Uint8Array;
    try {
      bytes = decompress(input, size);
    } catch (cause) {
      throw new CFileError("E_CORRUPT", `a page is no ${codec}`, { field: "page", cause });
    }
    return ofSize(bytes, size, codec);
  };
}

function ofSize(bytes: Uint8Array, size: number, codec: CompressionCodec): Uint8Array {
  if (bytes.length !== size) {
    throw mismatch("uncompressed page size", undefined, size, bytes.length);
  }
  return bytes;
}
