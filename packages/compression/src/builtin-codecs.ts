import { type Kernels, portableKernels } from "@cfile/kernels";
import type { Codec, CodecSet } from "./codec.js";
import { lz4Decompress } from "./lz4/lz4-decode.js";
import { lz4Compress } from "./lz4/lz4-encode.js";
import { snappyDecompress } from "./snappy/snappy-decode.js";
import { snappyCompress } from "./snappy/snappy-encode.js";
import { zlibCompress } from "./zlib/deflate.js";
import { zlibDecompress, zlibExpand } from "./zlib/zlib.js";

/** The built-in codecs, with the LZ4 and Snappy loops of `kernels`. */
export function codecsWith(kernels: Kernels): CodecSet {
  return Object.freeze({ LZ4: lz4With(kernels), SNAPPY: snappyWith(kernels), ZLIB: zlibCodec });
}

function lz4With(kernels: Kernels): Codec {
  const decompress = kernels.lz4Decompress(lz4Decompress);
  return Object.freeze({ type: "LZ4", decompress, compress: kernels.lz4Compress(lz4Compress) });
}

function snappyWith(kernels: Kernels): Codec {
  const decompress = kernels.snappyDecompress(snappyDecompress);
  return Object.freeze({ type: "SNAPPY", decompress, compress: kernels.snappyCompress(snappyCompress) });
}

/** Raw LZ4 blocks; compression is byte-identical to the reference implementation. */
export const lz4Codec: Codec = /* @__PURE__ */ lz4With(portableKernels);

/** Raw Snappy streams. */
export const snappyCodec: Codec = /* @__PURE__ */ snappyWith(portableKernels);

/** zlib streams of level 6. */
export const zlibCodec: Codec = /* @__PURE__ */ Object.freeze({
  type: "ZLIB",
  compress: zlibCompress,
  decompress: zlibDecompress,
  expand: zlibExpand,
});

/** The portable codecs: the default of readers and writers. */
export const builtinCodecs: CodecSet = /* @__PURE__ */ Object.freeze({
  LZ4: lz4Codec,
  SNAPPY: snappyCodec,
  ZLIB: zlibCodec,
});
