/** @module @cfile/encodings/write: build blocks of any encoding. */
export { type BuilderFactory, isDictionaryBuilder } from "./codecs/block-codec.js";
export { loadBlockBuilder } from "./codecs/encoding-table.js";
