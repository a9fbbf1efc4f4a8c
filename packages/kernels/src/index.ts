/** @module @cfile/kernels: the hot loops in WebAssembly SIMD. */
export { chooseDecoders } from "./choose-decoders.js";
export { chooseKernels, simdKernels } from "./choose-kernels.js";
export { choosePageKernels } from "./choose-page-kernels.js";
export { chooseRowKernels } from "./choose-row-kernels.js";
export type {
  DecodedCodes,
  DecodedStrings,
  DecodeKernels,
  EncodeKernels,
  KernelChoice,
  Kernels,
  PrefixEntries,
  PrefixState,
  ShuffledWords,
} from "./kernels.js";
export type { PageKernels } from "./page-kernels.js";
export type { DecodedDeltas, KeyColumn, RowKernels } from "./row-kernels.js";
export { SimdDecoders } from "./simd-decoders.js";
export { SimdKernels } from "./simd-kernels.js";
export type { FoundCodes, HeldWords, WordStrings, WordTable } from "./word-table.js";
