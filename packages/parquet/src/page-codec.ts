/** Compression of pages: Snappy, gzip and LZ4 blocks here, others by whoever reads. */
import { CFileError } from "@cfile/bytes";
import { lz4Codec, snappyDecompress } from "@cfile/compression";
import type { CompressionCodec } from "hyparquet";
import { gzipMembers } from "./gzip-members.js";

/** Codecs that are not built in: they give exactly `size` bytes, or throw. */
export type PageDecompressors = Partial<
  Record<CompressionCodec, (input: Uint8Array, size: number) => Uint8Array>
>;

/**
 * @throws CFileError `E_UNSUPPORTED` for a codec that nobody gave; `E_CORRUPT`, `E_TRUNCATED` for bytes that are not what it makes
 */
export function decompressPage(
  codec: CompressionCodec,
  input: Uint8Array,
  size: number,
  others: PageDecompressors = {},
): Uint8Array {
  if (codec === "UNCOMPRESSED") {
    return input;
  }
  const given = others[codec];
  if (given !== undefined) {
    try {
      return given(input, size);
    } catch (cause) {
      throw new CFileError("E_CORRUPT", `a page is no ${codec}`, { field: "page", cause });
    }
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
    default:
      throw new CFileError("E_UNSUPPORTED", `no codec for ${codec}`, { field: "codec", actual: codec });
  }
}
