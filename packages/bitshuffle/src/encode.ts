/** @module @cfile/bitshuffle/encode: write streams of chunks. */
export { encodeChunks, portableShuffle } from "./encode-chunks.js";
