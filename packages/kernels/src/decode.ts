/** @module @cfile/kernels/decode: chooses the kernels that read. */
export { chooseDecoders } from "./choose-decoders.js";
