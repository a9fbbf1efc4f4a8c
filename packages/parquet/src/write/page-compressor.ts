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
      copyAtOnce(zstd);
      return (body) => zstd.compress(body);
    }
    default: {
      const { SNAPPY, LZ4 } = codecsWith(chooseKernels());
      const found = codec === "SNAPPY" ? SNAPPY : LZ4;
      return (body) => found?.compress(body) ?? body;
    }
  }
}

interface Heap {
  heapView(place: unknown): Uint8Array;
  heapToUint8Array(place: unknown): Uint8Array;
}

/** The library copies results from its memory byte by byte, through an array, which takes longer than compression. */
function copyAtOnce(zstd: object): void {
  const heap: unknown = Reflect.get(zstd, "_mainModule");
  if (isHeap(heap)) {
    heap.heapToUint8Array = (place) => heap.heapView(place).slice();
  }
}

function isHeap(value: unknown): value is Heap {
  return typeof value === "object" && value !== null && "heapView" in value && "heapToUint8Array" in value;
}
