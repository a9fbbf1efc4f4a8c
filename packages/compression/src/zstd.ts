/** @module @cfile/compression/zstd: Zstandard frames. */
export { zstdDecompress } from "./zstd/zstd-frame.js";
