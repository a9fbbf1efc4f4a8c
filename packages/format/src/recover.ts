/** @module @cfile/format/recover: find the readable parts of a damaged CFile. */
export type { DamagedCFileOptions } from "./recover/recover-options.js";
export { RecoverableFile } from "./recover/recoverable-file.js";
export type {
  BlockEntry,
  ColumnKnowledge,
  Knowledge,
  PartEntry,
  RecoveryLedger,
} from "./recover/rows/ledger.js";
export { damagedFileKind, findStoredBlocks, scanDamagedCFile } from "./recover/scan-damaged.js";
