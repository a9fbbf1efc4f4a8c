/** @module @cfile/splits/run: run one piece of work. */
export {
  isRetryable,
  type ReadSplitOptions,
  type RunSplitOptions,
  readSplit,
  runSplit,
  type Salvaged,
  type SplitResult,
  splitColumns,
  splitFileName,
  type WriteSplitOptions,
  writeSplit,
} from "./run/run-split.js";
export type { SalvagedFile } from "./run/salvage-files.js";
