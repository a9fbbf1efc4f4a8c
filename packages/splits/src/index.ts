/** @module @cfile/splits: independent pieces of work over CFiles, row sets and Kudu directories, and what runs them. */
export { type FilePlanOptions, planFiles } from "./plan-files.js";
export { type KuduPlanOptions, planKudu } from "./plan-kudu.js";
export type { PlanOptions } from "./plan-options.js";
export {
  planRowSets,
  type RowSetPlaces,
  type RowSetPlanOptions,
  type RowSetTable,
  tableOfManifest,
} from "./plan-row-sets.js";
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
} from "./run-split.js";
export type { SalvagedFile } from "./salvage-files.js";
export { groupEnds } from "./size-groups.js";
export type { OpenLocation } from "./source-identity.js";
export type {
  FilePiece,
  FileSplit,
  RowRange,
  RowSetPiece,
  RowSetSplit,
  Split,
  SplitContent,
  SplitFile,
} from "./split.js";
export { identifiedSplit, parseSplit, SPLIT_VERSION, splitLine } from "./split-line.js";
