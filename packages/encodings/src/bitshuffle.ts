/** @module @cfile/encodings/bitshuffle: bitshuffle blocks. */
export { openBitshuffleBlock } from "./codecs/bitshuffle/bitshuffle-block.js";
export { createBitshuffleBuilder } from "./codecs/bitshuffle/bitshuffle-builder.js";
