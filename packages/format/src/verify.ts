/** @module @cfile/format/verify: types of verification. */
export type {
  SoundBlock,
  SoundBlockVisitor,
  VerifyOptions,
  VerifyProblem,
  VerifyReport,
} from "./verify/verify.js";
