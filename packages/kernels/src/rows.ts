/** @module @cfile/kernels/rows: kernels for keys, Bloom filters and delta entries. */
export { chooseRowKernels } from "./choose-row-kernels.js";
export type {
  BloomProbe,
  CountOnes,
  DecodedDeltas,
  DeltaEntries,
  FirstDescent,
  IntegerDescent,
  IntegerKeys,
  Integers,
  KeyColumn,
  KeyRange,
  ProbedFilter,
  RowKernels,
} from "./row-kernels.js";
