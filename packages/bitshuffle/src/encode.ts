/** @module @cfile/bitshuffle/encode: write the stream of chunks. */
export { encodeChunks, portableShuffle } from "./encode-chunks.js";
