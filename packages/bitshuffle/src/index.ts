/** @module @cfile/bitshuffle: bit transposition, and streams of LZ4-compressed chunks made with it. */
export { bitTranspose, bitUntranspose } from "./bit-transpose.js";
export { ChunkStream, chunkElements, portableBitshuffle } from "./chunk-stream.js";
