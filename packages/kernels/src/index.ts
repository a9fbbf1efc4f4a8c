/** @module @cfile/kernels: the hot loops in WebAssembly SIMD. */
export { chooseKernels, simdKernels } from "./choose-kernels.js";
export type {
  DecodedCodes,
  DecodedStrings,
  KernelChoice,
  Kernels,
  PrefixEntries,
  PrefixState,
} from "./kernels.js";
export { SimdKernels } from "./simd-kernels.js";
