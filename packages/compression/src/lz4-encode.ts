/** @module @cfile/compression/lz4-encode: compress LZ4 blocks. */
export { lz4Compress, lz4CompressBlock, lz4CompressBound } from "./lz4/lz4-encode.js";
