/** Loaded for files that have a dictionary. */
export { openDictionaryWords } from "@cfile/encodings/parts/codecs/dictionary/dictionary";
