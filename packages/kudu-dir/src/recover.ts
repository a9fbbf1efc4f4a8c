/** @module @cfile/kudu-dir/recover: recover the rows of damaged row sets. */
export type { RowRange } from "./recover/lost-rows.js";
export { type FileAccount, RecoveredRowSet, type RowSetAccount } from "./recover/recover-row-set.js";
export { type RecoveredChanges, recoveredDiff } from "./recover/recovered-diff.js";
export type {
  DifferentRow,
  KeyInterval,
  LostRange,
  ReplicaAccount,
  SourceRange,
  TabletLedger,
} from "./recover/tablet-ledger.js";
