/** @module @cfile/kernels: the hot loops in WebAssembly SIMD. */
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
