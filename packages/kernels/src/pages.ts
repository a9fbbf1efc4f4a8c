/** @module @cfile/kernels/pages: kernels for Parquet pages. */
export { choosePageKernels } from "./choose-page-kernels.js";
export type { PageKernels } from "./page-kernels.js";
