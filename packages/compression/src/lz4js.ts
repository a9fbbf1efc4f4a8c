/** @module @cfile/compression/lz4js: LZ4 with the decoder of the `lz4js` library. */
import { decompressBlock } from "lz4js";
import { lz4Codec } from "./builtin-codecs.js";
import type { Codec } from "./codec.js";
import { checkLz4Block } from "./lz4/lz4-check.js";

/**
 * LZ4 with the decoder of [lz4js](https://www.npmjs.com/package/lz4js): a second, independent decoder, and a cross-check of
 * `lz4Codec`. lz4js checks no bounds, so `checkLz4Block` walks every block first. `lz4Codec` compresses, because blocks that
 * lz4js writes can break LZ4's end rules, on which Kudu's reader aborts.
 */
export const lz4jsCodec: Codec = /* @__PURE__ */ Object.freeze({
  type: "LZ4",
  compress: (input: Uint8Array) => lz4Codec.compress(input),
  decompress: (input: Uint8Array, output: Uint8Array) => {
    checkLz4Block(input, 0, input.length, output.length);
    decompressBlock(input, output, 0, input.length, 0);
  },
});
