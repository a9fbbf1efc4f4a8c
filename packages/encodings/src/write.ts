/** @module @cfile/encodings/write: the table of encodings, and their code loaded: one, or all. */
export { ENCODINGS, type LoadedEncodings, loadBlockBuilder, loadEncodings } from "./codecs/encodings.js";
