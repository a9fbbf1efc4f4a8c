/** Compression of pages. The library for Brotli and Hadoop's LZ4 is lazily loaded. */
import { CFileError, corrupt } from "@cfile/bytes";
import type { Expander } from "@cfile/compression";
import { loadExpander } from "@cfile/compression";
import { zstdDecompress } from "@cfile/compression/codecs";
import { chooseDecoders } from "@cfile/kernels/decode";
import type { CompressionCodec } from "hyparquet";
import { gzipMembers } from "./gzip-members.js";

/** Functions of the caller that replace the built-in codecs: they return exactly `size` bytes, or throw. */
export type PageDecompressors = Partial<
  Record<CompressionCodec, (input: Uint8Array, size: number) => Uint8Array>
>;

/**
 * Decompresses a page to exactly `size` bytes, into new memory unless it is uncompressed.
 * @throws {CFileError} `E_UNSUPPORTED` for an unknown codec; `E_CORRUPT`, `E_TRUNCATED` for damaged bytes
 */
export type PageExpander = (input: Uint8Array, size: number) => Uint8Array;

/** The expander of a codec: the caller's, or the built-in one, whose code is loaded now. */
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
        const details = { field: "codec", actual: codec };
        throw new CFileError("E_UNSUPPORTED", `unsupported codec: ${codec}`, details);
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
      throw corrupt(`page is not valid ${codec} data`, { field: "page", cause });
    }
    return ofSize(bytes, size, codec);
  };
}

function ofSize(bytes: Uint8Array, size: number, codec: CompressionCodec): Uint8Array {
  if (bytes.length !== size) {
    const details = { field: "uncompressed page size", expected: size, actual: bytes.length };
    throw corrupt(`${codec} page expands to ${bytes.length} bytes (expected ${size})`, details);
  }
  return bytes;
}
