/** @module @cfile/bitshuffle: bit transposition, and the stream of LZ4 compressed chunks made with it. */
export { bitTranspose, bitUntranspose } from "./bit-transpose.js";
export { chunkElements } from "./chunk-elements.js";
export { ChunkStream, portableBitshuffle } from "./chunk-stream.js";
