/** @module @cfile/kernels: the hot loops in WebAssembly SIMD. */
export { chooseDecoders } from "./choose-decoders.js";
export { chooseKernels, simdKernels } from "./choose-kernels.js";
export type {
  DecodedCodes,
  DecodedStrings,
  DecodeKernels,
  EncodeKernels,
  KernelChoice,
  Kernels,
  PrefixEntries,
  PrefixState,
} from "./kernels.js";
export { SimdDecoders } from "./simd-decoders.js";
export { SimdKernels } from "./simd-kernels.js";
