/** @module @cfile/compression/lz4: decompress and check LZ4 blocks. */
export { checkLz4Block, type Lz4BlockCheck } from "./lz4/lz4-check.js";
export { lz4DecompressBlock } from "./lz4/lz4-decode.js";
