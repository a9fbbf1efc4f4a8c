/** @module @cfile/kernels/rows: kernels for keys, Bloom filters and delta entries. */
export { chooseRowKernels } from "./choose-row-kernels.js";
export type { DecodedDeltas, KeyColumn, RowKernels } from "./row-kernels.js";
export type { FoundCodes, HeldWords, WordStrings, WordTable } from "./word-table.js";
