import { type Kernels, portableKernels } from "@cfile/kernels";
import type { Codec, CodecSet } from "./codec.js";
import { lz4Compress } from "./lz4/lz4-encode.js";
import { lz4Expander } from "./lz4/lz4-expander.js";
import { snappyCompress } from "./snappy/snappy-encode.js";
import { snappyExpander } from "./snappy/snappy-expander.js";
import { zlibCompress } from "./zlib/zlib.js";
import { zlibExpander } from "./zlib/zlib-expander.js";

/** The built-in codecs, with the LZ4 and Snappy of `kernels`. */
export function codecsWith(kernels: Kernels): CodecSet {
  return Object.freeze({ LZ4: lz4With(kernels), SNAPPY: snappyWith(kernels), ZLIB: zlibCodec });
}

function lz4With(kernels: Kernels): Codec {
  return Object.freeze({ ...lz4Expander(kernels), compress: kernels.lz4Compress(lz4Compress) });
}

function snappyWith(kernels: Kernels): Codec {
  return Object.freeze({ ...snappyExpander(kernels), compress: kernels.snappyCompress(snappyCompress) });
}

function makeZlibCodec(): Codec {
  return Object.freeze({ ...zlibExpander(), compress: zlibCompress });
}

/** Raw LZ4 blocks; compression is the reference implementation's, byte for byte. */
export const lz4Codec: Codec = /* @__PURE__ */ lz4With(portableKernels);

/** Raw Snappy streams. */
export const snappyCodec: Codec = /* @__PURE__ */ snappyWith(portableKernels);

/** zlib streams of level 6. */
export const zlibCodec: Codec = /* @__PURE__ */ makeZlibCodec();

/** The codecs of this package: what readers and writers use unless they are given others. */
export const builtinCodecs: CodecSet = /* @__PURE__ */ Object.freeze({
  LZ4: lz4Codec,
  SNAPPY: snappyCodec,
  ZLIB: zlibCodec,
});
