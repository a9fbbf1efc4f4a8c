/** @module @cfile/parquet/recover: recover Parquet files page by page, with or without their footer. */
export type { SchemaOrigin } from "./found-schema/known-schema.js";
export { parseMessageType } from "./found-schema/message-type.js";
export type { RebuildLoss, RebuiltColumn, RebuiltGroup, RebuiltParquet } from "./rebuild/ledger.js";
export type { RebuildOptions } from "./rebuild/rebuild-options.js";
export { rebuildParquet } from "./rebuild/rebuild-parquet.js";
export {
  type RecoveredColumn,
  RecoveredParquet,
  type RecoverParquetOptions,
  type RowRange,
  recoverParquet,
} from "./recover/recover-parquet.js";
export type { FilePart, OtherKind, OtherPart, PagePart } from "./walk/file-part.js";
export { type WalkOptions, walkFile } from "./walk/walk-file.js";
