/** Loaded for files that have a dictionary. */
export { openDictionaryWords } from "@cfile/encodings/dictionary";
