/** @module @cfile/compare/query: a digest of tables that the SQL of Spark, DuckDB and Trino also computes. */

export { SQL_DIALECTS, type SqlDialect } from "./sql/dialects.js";
export { digestQuery } from "./sql/digest-query.js";
export { type HashSum, type SqlDigest, sqlDigest } from "./sql/sql-digest.js";
