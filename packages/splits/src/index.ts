/** @module @cfile/splits: independent pieces of work over CFiles, row sets and Kudu directories, and what runs them. */

export type {
  FilePiece,
  FileSplit,
  RowRange,
  RowSetPiece,
  RowSetSplit,
  Split,
  SplitContent,
  SplitFile,
} from "./lines/split.js";
export { identifiedSplit, parseSplit, SPLIT_VERSION, splitLine } from "./lines/split-line.js";
export { type FilePlanOptions, planFiles } from "./plan/plan-files.js";
export { type KuduPlanOptions, planKudu } from "./plan/plan-kudu.js";
export type { PlanOptions } from "./plan/plan-options.js";
export {
  planRowSets,
  type RowSetPlaces,
  type RowSetPlanOptions,
  type RowSetTable,
  tableOfManifest,
} from "./plan/plan-row-sets.js";
export { groupEnds } from "./plan/size-groups.js";
export type { OpenLocation } from "./plan/source-identity.js";
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
} from "./run/run-split.js";
export type { SalvagedFile } from "./run/salvage-files.js";
