/** Compression of pages. Brotli and the LZ4 of Hadoop come with a library that is loaded when a chunk has them. */
import { CFileError, corrupt } from "@cfile/bytes";
import { lz4Codec, snappyDecompress, zstdDecompress } from "@cfile/compression";
import type { CompressionCodec } from "hyparquet";
import { gzipMembers } from "./gzip-members.js";

/** Codecs by whoever reads, before those that are here: they give exactly `size` bytes, or throw. */
export type PageDecompressors = Partial<
  Record<CompressionCodec, (input: Uint8Array, size: number) => Uint8Array>
>;

/** Those of `given`, and what `codec` needs besides. */
export async function loadDecompressors(
  codec: CompressionCodec,
  given: PageDecompressors = {},
): Promise<PageDecompressors> {
  if ((codec !== "BROTLI" && codec !== "LZ4") || given[codec] !== undefined) {
    return given;
  }
  const { decompressBrotli, decompressLz4 } = await import("hyparquet-compressors");
  return { ...given, BROTLI: decompressBrotli, LZ4: decompressLz4 };
}

/**
 * Decompresses to exactly `size` bytes.
 *
 * @throws CFileError `E_UNSUPPORTED` for a codec that nobody gave; `E_CORRUPT`, `E_TRUNCATED` for bytes that are not what it makes
 */
export function decompressPage(
  codec: CompressionCodec,
  input: Uint8Array,
  size: number,
  others: PageDecompressors,
): Uint8Array {
  if (codec === "UNCOMPRESSED") {
    return ofSize(input, size, codec);
  }
  const given = others[codec];
  if (given !== undefined) {
    return ofSize(
      withGiven(codec, () => given(input, size)),
      size,
      codec,
    );
  }
  const output = new Uint8Array(size);
  switch (codec) {
    case "SNAPPY":
      snappyDecompress(input, output);
      return output;
    case "GZIP":
      gzipMembers(input, output);
      return output;
    case "LZ4_RAW":
      lz4Codec.decompress(input, output);
      return output;
    case "ZSTD":
      return ofSize(output.subarray(0, zstdDecompress(input, output)), size, codec);
    default:
      throw new CFileError("E_UNSUPPORTED", `no codec for ${codec}`, { field: "codec", actual: codec });
  }
}

function withGiven(codec: CompressionCodec, decompress: () => Uint8Array): Uint8Array {
  try {
    return decompress();
  } catch (cause) {
    throw new CFileError("E_CORRUPT", `a page is no ${codec}`, { field: "page", cause });
  }
}

function ofSize(bytes: Uint8Array, size: number, codec: CompressionCodec): Uint8Array {
  if (bytes.length !== size) {
    throw corrupt(`a page of ${codec} has ${bytes.length} bytes, its header says ${size}`, {
      field: "uncompressed page size",
      expected: size,
      actual: bytes.length,
    });
  }
  return bytes;
}
