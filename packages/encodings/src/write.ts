/** @module @cfile/encodings/write: the table of encodings, and loaders of their code: of one, or of all. */
export { ENCODINGS, type LoadedEncodings, loadBlockBuilder, loadEncodings } from "./codecs/encodings.js";
