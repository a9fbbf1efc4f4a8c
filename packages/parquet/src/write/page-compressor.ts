/** Compression of written pages. The library for Zstandard is lazily loaded. */
import { MemoryArena } from "@cfile/bytes";
import { codecsWith, snappyCompressFast } from "@cfile/compression/codecs";
import { chooseKernels } from "@cfile/kernels/encode";
import { gzip } from "pako";
import { loadZstd } from "../pages/zstd-module.js";

/** Compression of written pages. */
export type WrittenCodec = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "LZ4_RAW" | "ZSTD";

/** Compresses a page. The result is valid until the next call. `undefined` for pages that are not compressed. */
export type PageCompressor = ((body: Uint8Array) => Uint8Array) | undefined;

/** The compressor of a codec. */
export async function loadPageCompressor(codec: WrittenCodec): Promise<PageCompressor> {
  switch (codec) {
    case "UNCOMPRESSED":
      return undefined;
    case "GZIP":
      return (body) => gzip(body);
    case "ZSTD": {
      const zstd = await loadZstd();
      return (body) => zstd.compress(body);
    }
    default: {
      const kernels = chooseKernels();
      const compress =
        codec === "SNAPPY"
          ? kernels.snappyCompressFast(snappyCompressFast)
          : codecsWith(kernels).LZ4.compress;
      const memory = new MemoryArena();
      return (body) => {
        memory.recycle();
        return compress(body, memory);
      };
    }
  }
}
