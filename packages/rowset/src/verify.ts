/** @module @cfile/rowset/verify: verify row sets. */
export {
  type RowSetProblem,
  type RowSetVerifyOptions,
  type RowSetVerifyReport,
  verifyRowSet,
} from "./verify/verify-row-set.js";
