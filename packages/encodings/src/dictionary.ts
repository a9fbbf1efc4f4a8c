/** @module @cfile/encodings/dictionary: dictionary blocks. */
export {
  createDictionaryBuilder,
  openDictionaryBlock,
  openDictionaryWords,
} from "./codecs/dictionary/dictionary.js";
