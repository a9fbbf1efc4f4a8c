/** @module @cfile/deltafile: Kudu's delta files, which hold the changes of rows: reader, writer and verifier. */
export { decodeArrayCell } from "./array-cell.js";
export { encodeArrayCell } from "./array-cell-encode.js";
export { checkCell, type DeltaColumn, decodeCell, encodeCell, type MutatedCell } from "./cell-codec.js";
export {
  type ChangeType,
  type ChangeTypeName,
  changeTypeName,
  checkChangeType,
  DELETE,
  inverseType,
  REINSERT,
  UPDATE,
} from "./change-type.js";
export { concatDeltas, type DeltaBatch, deltasWithin, sliceDeltas } from "./delta-batch.js";
export {
  compareDeltaKeys,
  type DecodedDeltaKey,
  type DeltaKey,
  decodeDeltaKey,
  encodeDeltaKey,
} from "./delta-key.js";
export type { DeltaKind } from "./delta-kind.js";
export { type DeltaEntriesOptions, DeltaFileReader, type RowDeltaOptions } from "./delta-reader.js";
export {
  compareStatistics,
  type DeltaStatistics,
  DeltaStatisticsCounter,
  type StatisticsDifference,
} from "./delta-statistics.js";
export { encodeDeltaStats, inKuduOrder, parseDeltaStats } from "./delta-stats-message.js";
export { DeltaFileWriter, type DeltaWriterOptions } from "./delta-writer.js";
export { compareDiffEntries, type DiffEntry, isNeededForDiff, isReportedInDiff } from "./diff.js";
export { type GuessedKind, guessDeltaKind } from "./guess-delta-kind.js";
export { memcmpVarintLength, readMemcmpVarint, writeMemcmpVarint } from "./memcmp-varint.js";
export { MutationCursor } from "./mutation-cursor.js";
export { RowChain } from "./row-chain.js";
export {
  decodeRowChangeList,
  encodeRowChangeList,
  MutationBuilder,
  type RowChangeList,
} from "./row-change-list.js";
export {
  aliveAfter,
  appliedTimestamps,
  isApplied,
  isNeededForSnapshot,
  mayDelete,
  mayHoldTimestamps,
  mayTouchColumn,
} from "./snapshot.js";
export { LATEST_TIMESTAMP } from "./timestamp.js";
export {
  type DeltaProblem,
  type DeltaVerifyOptions,
  type DeltaVerifyReport,
  verifyDeltaFile,
} from "./verify-delta-file.js";
