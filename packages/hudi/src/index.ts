/** @module @cfile/hudi: Hudi tables: timeline, metadata table, file slices, rows. */

export { type LogBlock, type LogBlockKind, type LogDamage, readLogFile } from "./log/log-block.js";
export type { WrappedValue } from "./log/wrapped-value.js";
export { bloomFilters, type FileBloomFilter } from "./metadata/bloom-filters.js";
export { type ColumnStats, columnStats, partitionStats, type StatsByFile } from "./metadata/column-stats.js";
export { keyWords } from "./metadata/key-words.js";
export type { MetadataRecord } from "./metadata/merge-records.js";
export { MetadataTable } from "./metadata/metadata-table.js";
export { findLocations, type RecordLocation } from "./metadata/record-index.js";
export { verifyTable } from "./on-demand.js";
export type { HudiColumn, ScalarType } from "./rows/column-type.js";
export { flatColumns, flatRows } from "./rows/flat-rows.js";
export { type FoundRecord, getRecord, type HudiGetOptions } from "./rows/get-record.js";
export {
  changedRows,
  type HudiChangeOptions,
  type HudiRange,
  type WritesInRange,
  writesInRange,
} from "./rows/incremental.js";
export { type JsonValue, jsonValues } from "./rows/json-value.js";
export { type HudiScanOptions, scannedSlices, scanRows } from "./rows/scan.js";
export type { HudiBatch } from "./rows/slice-rows.js";
export { scanColumns, tableColumns } from "./rows/table-schema.js";
export type { FileSlice } from "./slices/file-slices.js";
export { HudiTable, type ListingSource } from "./table/hudi-table.js";
export { type HudiOpenOptions, type HudiTableInput, openHudiTable } from "./table/open-hudi-table.js";
export type { HudiTableType, MergeMode, TableProperties } from "./table/table-properties.js";
export { earliestReadable } from "./timeline/as-of.js";
export type { HudiInstant, InstantState } from "./timeline/instant.js";
export type { HudiReport, HudiVerifyOptions } from "./verify/verify-table.js";
