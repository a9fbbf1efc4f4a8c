/** @module @cfile/compare: whether two tables have the same rows, and which rows differ. */
export {
  type ColumnDigests,
  type ColumnProblem,
  type CompareOptions,
  type Comparison,
  compareTables,
  MAX_HASHES,
  type PartitionDigests,
} from "./compare-tables.js";
export { type ComparedColumn, type ComparedPartition, type ComparedTable, kindOf } from "./compared-table.js";
export type { RowDifference } from "./rows/row-differences.js";
