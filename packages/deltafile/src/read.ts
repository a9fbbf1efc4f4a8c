/** @module @cfile/deltafile/read: read and verify delta files. */
export { concatDeltas, type DeltaBatch, deltasWithin, sliceDeltas } from "./read/delta-batch.js";
export {
  type DeltaEntriesOptions,
  DeltaFileReader,
  openDeltaFile,
  type RowDeltaOptions,
} from "./read/delta-reader.js";
export { type GuessedKind, guessDeltaKind } from "./read/guess-delta-kind.js";
export type { DeltaProblem, DeltaVerifyOptions, DeltaVerifyReport } from "./verify/verify-delta-file.js";
