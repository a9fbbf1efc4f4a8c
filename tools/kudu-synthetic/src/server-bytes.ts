/** @module @cfile-tools/kudu-synthetic/bytes: the bytes of a server's files, for tests that write them in their own order. */
export { blockFile } from "./block-writers.js";
export { containerBytes } from "./container-bytes.js";
export { hexName } from "./hex-name.js";
export {
  configEntry,
  emptyCommitEntry,
  noOpEntry,
  type SyntheticStore,
  segmentFooter,
  segmentHeader,
  type TimedOperation,
  writeCommitEntry,
  writeEntry,
} from "./log-entries.js";
export { consensusMessage, type SyntheticConfig, type SyntheticOperation } from "./raft-messages.js";
export { type SyntheticRowSet, superblockBytes } from "./superblock-bytes.js";
export { instanceFiles, type RowSetBlocks, rowSetBlocks, tableIdOf } from "./synthetic-server.js";
