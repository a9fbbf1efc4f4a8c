/** @module @cfile/compression/lz4: LZ4 blocks. */
export { checkLz4Block, type Lz4BlockCheck } from "./lz4/lz4-check.js";
export { lz4DecompressBlock } from "./lz4/lz4-decode.js";
export { lz4Compress, lz4CompressBlock, lz4CompressBound } from "./lz4/lz4-encode.js";
