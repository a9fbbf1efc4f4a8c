/** @module @cfile/kernels/decode: kernels that decode blocks. */
export { chooseDecoders } from "./choose-decoders.js";
export { SimdDecoders } from "./simd-decoders.js";
