/** @module @cfile/encodings/prefix: prefix blocks. */
export { openPrefixBlock } from "./codecs/prefix/prefix-block.js";
export { createPrefixBuilder } from "./codecs/prefix/prefix-builder.js";
