/** @module @cfile/duckdb: SQL over row sets and CFiles, by DuckDB. */
export {
  type DuckdbLibrary,
  loadDuckdb,
  querySql,
  type SqlOptions,
  SqlResult,
  type SqlScan,
} from "./sql-query.js";
export type { ScannableTable } from "./sql-source.js";
