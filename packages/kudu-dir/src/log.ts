/** @module @cfile/kudu-dir/log: read the write-ahead log. */
export {
  type Commit,
  type LogEntry,
  type MutatedStore,
  type OperationId,
  type OperationResult,
  parseLogEntries,
  type Replicate,
  type WriteRequest,
} from "./log/log-messages.js";
export type { ReplayedLog, UnflushedOperation } from "./log/log-replay.js";
export { type LogSegment, parseLogSegment } from "./log/log-segment.js";
export { type OperationKind, parseRowOperations, type RowOperation } from "./log/row-operations.js";
export { batchOfCells } from "./log/stored-cells.js";
