/** @module @cfile/encodings/dictionary: dictionary blocks. */
export { openDictionaryBlock, openDictionaryWords } from "./codecs/dictionary/dictionary-block.js";
export { createDictionaryBuilder } from "./codecs/dictionary/dictionary-builder.js";
