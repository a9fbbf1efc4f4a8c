/** @module @cfile/rowset/verify: verify row sets. */
export type { RowSetProblem } from "./verify/row-set-problems.js";
export { type RowSetVerifyOptions, type RowSetVerifyReport, verifyRowSet } from "./verify/verify-row-set.js";
