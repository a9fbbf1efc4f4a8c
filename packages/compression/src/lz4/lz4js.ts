/**
 * LZ4 decompression by lz4js.
 *
 * A second, independent decoder: the cross-check of `lz4Codec`, and a replacement where one prefers the well-known
 * library. lz4js checks no bounds, so every block is walked by `checkLz4Block` first. Compression stays with
 * `lz4Codec`: blocks that lz4js makes can break LZ4's end rules, on which Kudu's reader aborts.
 */
import { decompressBlock } from "lz4js";
import { lz4Codec } from "../builtin-codecs.js";
import type { Codec } from "../codec.js";
import { checkLz4Block } from "./lz4-check.js";

/**
 * LZ4 with the decoder of [lz4js](https://www.npmjs.com/package/lz4js): a second, independent one. It writes as the
 * built-in codec does.
 */
export const lz4jsCodec: Codec = /* @__PURE__ */ Object.freeze({
  type: "LZ4",
  compress: (input: Uint8Array) => lz4Codec.compress(input),
  decompress: (input: Uint8Array, output: Uint8Array) => {
    checkLz4Block(input, 0, input.length, output.length);
    decompressBlock(input, output, 0, input.length, 0);
  },
});
