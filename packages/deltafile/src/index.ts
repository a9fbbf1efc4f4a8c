/** @module @cfile/deltafile: Kudu's delta files, which hold the changes of rows: reader, writer and verifier. */
export { decodeArrayCell } from "./cells/array-cell.js";
export { encodeArrayCell } from "./cells/array-cell-encode.js";
export {
  checkCell,
  type DeltaColumn,
  decodeCell,
  encodeBatchCell,
  encodeCell,
  type MutatedCell,
} from "./cells/cell-codec.js";
export {
  type ChangeType,
  type ChangeTypeName,
  changeTypeName,
  checkChangeType,
  DELETE,
  inverseType,
  REINSERT,
  RowChain,
  UPDATE,
} from "./changes/change-type.js";
export {
  compareDeltaKeys,
  type DecodedDeltaKey,
  type DeltaKey,
  decodeDeltaKey,
  encodeDeltaKey,
} from "./changes/delta-key.js";
export type { DeltaKind } from "./changes/delta-kind.js";
export { memcmpVarintLength, readMemcmpVarint, writeMemcmpVarint } from "./changes/memcmp-varint.js";
export { MutationCursor } from "./changes/mutation-cursor.js";
export {
  decodeRowChangeList,
  encodeRowChangeList,
  MutationBuilder,
  type RowChangeList,
} from "./changes/row-change-list.js";
export {
  aliveAfter,
  appliedTimestamps,
  compareDiffEntries,
  type DiffEntry,
  isApplied,
  isNeededForDiff,
  isNeededForSnapshot,
  isReportedInDiff,
  mayDelete,
  mayHoldTimestamps,
  mayTouchColumn,
} from "./changes/snapshot.js";
export { checkTimestamp, LATEST_TIMESTAMP } from "./changes/timestamp.js";
