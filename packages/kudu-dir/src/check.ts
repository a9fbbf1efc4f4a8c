/** @module @cfile/kudu-dir/check: check the row sets of a server. */
export type { CheckedDir, CheckedSize, CheckOptions } from "./check/check-dir.js";
export {
  type CheckedRowSet,
  type DirProblem,
  type RowSetChecker,
  type RowSetPlace,
  rowSetChecker,
} from "./check/check-row-set.js";
