/** The functions that a digest needs, in the SQL of Spark, DuckDB and Trino. */

export const SQL_DIALECTS = ["duckdb", "spark", "trino"] as const;
/** A SQL engine. */
export type SqlDialect = (typeof SQL_DIALECTS)[number];

/** Expressions of one dialect; arguments and results are SQL. */
export interface Expressions {
  readonly quote: (name: string) => string;
  /** Text of a number or a boolean. */
  readonly text: (value: string) => string;
  /** MD5 of a text or of bytes, in lower-case hexadecimal. */
  readonly md5: (value: string, isBytes: boolean) => string;
  /** The integer with these hexadecimal digits. */
  readonly hex: (digits: string) => string;
  readonly days: (date: string) => string;
  readonly micros: (timestamp: string) => string;
  readonly isNan: (value: string) => string;
}

const doubled = (mark: string) => (name: string) => `${mark}${name.replaceAll(mark, mark + mark)}${mark}`;

export const EXPRESSIONS: Readonly<Record<SqlDialect, Expressions>> = {
  duckdb: {
    quote: doubled('"'),
    text: (value) => `CAST(${value} AS VARCHAR)`,
    md5: (value) => `md5(${value})`,
    hex: (digits) => `CAST('0x' || ${digits} AS BIGINT)`,
    days: (date) => `date_diff('day', DATE '1970-01-01', ${date})`,
    micros: (timestamp) => `epoch_us(${timestamp})`,
    isNan: (value) => `isnan(${value})`,
  },
  spark: {
    quote: doubled("`"),
    text: (value) => `CAST(${value} AS STRING)`,
    md5: (value) => `md5(${value})`,
    hex: (digits) => `CAST(conv(${digits}, 16, 10) AS BIGINT)`,
    days: (date) => `unix_date(${date})`,
    micros: (timestamp) => `unix_micros(${timestamp})`,
    isNan: (value) => `isnan(${value})`,
  },
  trino: {
    quote: doubled('"'),
    text: (value) => `CAST(${value} AS VARCHAR)`,
    md5: (value, isBytes) => `lower(to_hex(md5(${isBytes ? value : `to_utf8(${value})`})))`,
    hex: (digits) => `from_base(${digits}, 16)`,
    days: (date) => `date_diff('day', DATE '1970-01-01', ${date})`,
    // Seconds since 1970 as a double are exact only without a fraction; the fraction is the last digits of the text.
    micros: (timestamp) =>
      `(CAST(to_unixtime(date_trunc('second', ${timestamp})) AS BIGINT) * 1000000 + CAST(substr(CAST(CAST(${timestamp} AS TIMESTAMP(6)) AS VARCHAR), -6) AS BIGINT))`,
    isNan: (value) => `is_nan(${value})`,
  },
};
