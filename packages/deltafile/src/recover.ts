/** @module @cfile/deltafile/recover: recover the entries of a damaged delta file into a new one. */
export type {
  DeltaBlockEntry,
  DeltaRecoveryLedger,
  LeftOutEntry,
  LostChanges,
} from "./recover/delta-ledger.js";
export {
  type RecoverDeltaOptions,
  type RecoveredDeltaFile,
  recoverDeltaFile,
} from "./recover/recover-delta-file.js";
