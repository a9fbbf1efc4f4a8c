/** @module @cfile/kernels/encode: chooses all kernels, those that write included. */
export { chooseKernels } from "./choose-kernels.js";
