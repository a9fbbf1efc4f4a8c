/** @module @cfile/encodings/write: build blocks of any encoding. */
export { createBlockBuilder, isDictionaryBuilder } from "./codecs/create-block-builder.js";
