/** @module @cfile/format/verify: types and memory of verification. */
export type {
  SoundBlock,
  SoundBlockVisitor,
  VerifyOptions,
  VerifyProblem,
  VerifyReport,
} from "./verify/verify.js";
export { newVerifyMemory, type VerifyMemory } from "./verify/verify-memory.js";
