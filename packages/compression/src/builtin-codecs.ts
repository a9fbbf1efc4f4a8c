import type { Kernels } from "@cfile/kernels";
import type { Codec, CodecSet } from "./codec.js";
import { lz4Compress } from "./lz4/lz4-encode.js";
import { lz4Expander } from "./lz4/lz4-expander.js";
import { snappyCompress } from "./snappy/snappy-encode.js";
import { snappyExpander } from "./snappy/snappy-expander.js";
import { zlibCompress } from "./zlib/zlib.js";
import { zlibExpander } from "./zlib/zlib-expander.js";

/** Raw LZ4 blocks; compression is the reference implementation's, byte for byte. */
export const lz4Codec: Codec = /* @__PURE__ */ lz4CodecWith(undefined);

/** Raw Snappy streams. */
export const snappyCodec: Codec = /* @__PURE__ */ snappyCodecWith(undefined);

/** zlib streams of level 6. */
export const zlibCodec: Codec = /* @__PURE__ */ makeZlibCodec();

/** The codecs of this package: what readers and writers use unless they are given others. */
export const builtinCodecs: CodecSet = /* @__PURE__ */ Object.freeze({
  LZ4: lz4Codec,
  SNAPPY: snappyCodec,
  ZLIB: zlibCodec,
});

/** The built-in codecs with `kernels` for what they have: LZ4 and Snappy. */
export function codecsWith(kernels: Kernels | undefined): CodecSet {
  return kernels === undefined
    ? builtinCodecs
    : { ...builtinCodecs, LZ4: lz4CodecWith(kernels), SNAPPY: snappyCodecWith(kernels) };
}

function lz4CodecWith(kernels: Kernels | undefined): Codec {
  return Object.freeze({
    ...lz4Expander(kernels),
    compress: (input: Uint8Array) => kernels?.lz4Compress(input) ?? lz4Compress(input),
  });
}

function makeZlibCodec(): Codec {
  return Object.freeze({ ...zlibExpander(), compress: zlibCompress });
}

function snappyCodecWith(kernels: Kernels | undefined): Codec {
  return Object.freeze({
    ...snappyExpander(kernels),
    compress: (input: Uint8Array) => kernels?.snappyCompress(input) ?? snappyCompress(input),
  });
}
