/** @module @cfile/compression/lz4js: the LZ4 decoder of the `lz4js` library. */
export { lz4jsCodec } from "./lz4/lz4js.js";
