/** @module @cfile/compare/sql: a digest of a table that Spark, DuckDB and Trino compute, too. */

export { SQL_DIALECTS, type SqlDialect } from "./sql/dialects.js";
export { digestQuery } from "./sql/digest-query.js";
export { type HashSum, type SqlDigest, sqlDigest } from "./sql/sql-digest.js";
