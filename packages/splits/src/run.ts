/** @module @cfile/splits/run: run one piece of work. */

export type { RecoveredFile } from "./run/recover-files.js";
export {
  isRetryable,
  type ReadSplitOptions,
  type Recovered,
  type RunSplitOptions,
  readSplit,
  runSplit,
  type SplitResult,
  splitColumns,
  splitFileName,
  type WriteSplitOptions,
  writeSplit,
} from "./run/run-split.js";
