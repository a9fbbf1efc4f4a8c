/**
 * Compression of written pages. For Zstandard, `@hpcc-js/wasm-zstd` is lazily loaded: the reference implementation in WebAssembly, from a
 * project with regular releases, without native code or files beside the module, so it also runs in browsers. Node 20 has no Zstandard.
 */
import { codecsWith } from "@cfile/compression/codecs";
import { chooseKernels } from "@cfile/kernels/encode";
import { gzip } from "pako";

/** Compression of written pages. */
export type WrittenCodec = "UNCOMPRESSED" | "SNAPPY" | "GZIP" | "LZ4_RAW" | "ZSTD";

/** Compresses a page into new memory; `undefined` for pages that are not compressed. */
export type PageCompressor = ((body: Uint8Array) => Uint8Array) | undefined;

/** The compressor of a codec. */
export async function loadPageCompressor(codec: WrittenCodec): Promise<PageCompressor> {
  switch (codec) {
    case "UNCOMPRESSED":
      return undefined;
    case "GZIP":
      return (body) => gzip(body);
    case "ZSTD": {
      const { Zstd } = await import("@hpcc-js/wasm-zstd");
      const zstd = await Zstd.load();
      // A copy: the result may be a view of the module's memory.
      return (body) => zstd.compress(body).slice();
    }
    default: {
      const { SNAPPY, LZ4 } = codecsWith(chooseKernels());
      const found = codec === "SNAPPY" ? SNAPPY : LZ4;
      return (body) => found?.compress(body) ?? body;
    }
  }
}
