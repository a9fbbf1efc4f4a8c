/** @module @cfile/encodings/bitshuffle: bitshuffle blocks. */
export { createBitshuffleBuilder, openBitshuffleBlock } from "./codecs/bitshuffle/bitshuffle-block.js";
