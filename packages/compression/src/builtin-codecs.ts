import type { Kernels } from "@cfile/kernels";
import type { Codec, CodecSet } from "./codec.js";
import { lz4DecompressBlock } from "./lz4-decode.js";
import { lz4Compress } from "./lz4-encode.js";
import { snappyDecompress } from "./snappy-decode.js";
import { snappyCompress } from "./snappy-encode.js";
import { zlibCompress, zlibDecompress, zlibExpand } from "./zlib.js";

/** Raw LZ4 blocks; compression is the reference implementation's, byte for byte. */
export const lz4Codec: Codec = /* @__PURE__ */ Object.freeze({
  type: "LZ4",
  compress: lz4Compress,
  decompress: (input: Uint8Array, output: Uint8Array) =>
    lz4DecompressBlock(input, 0, input.length, output, 0, output.length),
});

/** Raw Snappy streams. */
export const snappyCodec: Codec = /* @__PURE__ */ Object.freeze({
  type: "SNAPPY",
  compress: snappyCompress,
  decompress: snappyDecompress,
});

/** zlib streams of level 6. */
export const zlibCodec: Codec = /* @__PURE__ */ Object.freeze({
  type: "ZLIB",
  compress: zlibCompress,
  decompress: zlibDecompress,
  expand: zlibExpand,
});

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

function snappyCodecWith(kernels: Kernels): Codec {
  return {
    type: "SNAPPY",
    compress: (input) => kernels.snappyCompress(input) ?? snappyCodec.compress(input),
    decompress: (input, output) => {
      if (!kernels.snappyDecompress(input, output)) {
        snappyCodec.decompress(input, output);
      }
    },
  };
}

function lz4CodecWith(kernels: Kernels): Codec {
  return {
    type: "LZ4",
    compress: (input) => kernels.lz4Compress(input) ?? lz4Codec.compress(input),
    decompress: (input, output) => {
      if (!kernels.lz4Decompress(input, 0, input.length, output, 0, output.length)) {
        lz4Codec.decompress(input, output);
      }
    },
  };
}
