/** @module @cfile/kernels/encode: all kernels, those that encode included. */
export { chooseKernels, simdKernels } from "./choose-kernels.js";
export { SimdKernels } from "./simd-kernels.js";
