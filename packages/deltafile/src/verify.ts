/** @module @cfile/deltafile/verify: verify delta files. */
export {
  type DeltaProblem,
  type DeltaVerifyOptions,
  type DeltaVerifyReport,
  verifyDeltaFile,
} from "./verify/verify-delta-file.js";
