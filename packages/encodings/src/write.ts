/** @module @cfile/encodings/write: the table of encodings, and their code loaded: one, or all. */
export { type LoadedEncodings, loadBlockBuilder, loadEncodings } from "./codecs/encoding-table.js";
export { ENCODINGS } from "./codecs/encodings.js";
