/** @module @cfile/splits/run: read a split, or write its rows as a Parquet file. */
export type { ReadSplitOptions, Recovered, RecoveredFile } from "./run/read-options.js";
export {
  isRetryable,
  type RunSplitOptions,
  readSplit,
  runSplit,
  type SplitResult,
  splitColumns,
  splitFileName,
  type WriteSplitOptions,
  writeSplit,
} from "./run/run-split.js";
