/** @module @cfile/kernels/pages: kernels for Parquet pages. */
export { choosePageKernels } from "./choose-page-kernels.js";
export type {
  AppendStrings,
  IntegerBounds,
  IsAscii,
  LeastAndGreatest,
  PageKernels,
  StringBounds,
} from "./page-kernels.js";
