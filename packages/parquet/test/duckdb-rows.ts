/** Rows of a Parquet file as DuckDB reads them, and ours in the same format. */
import type { NestedValue } from "@cfile/parquet/nested";
import {
  DuckDBBlobValue,
  type DuckDBConnection,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBGeometryValue,
  DuckDBInstance,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  DuckDBUUIDValue,
  type DuckDBValue,
} from "@duckdb/node-api";

/** Runs `use` with a connection to an empty database. */
export async function withDuckDB<T>(use: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:", { threads: "1" });
  const connection = await instance.connect();
  try {
    return await use(connection);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** All rows of a query, each a comparable array. */
export async function duckRows(connection: DuckDBConnection, sql: string): Promise<unknown[][]> {
  const rows = await (await connection.runAndReadAll(sql)).getRows();
  return rows.map((row) => row.map(duckCell));
}

const hex = (bytes: Uint8Array): string => `x${Buffer.from(bytes).toString("hex")}`;
/** Integers and floats compare as text. */
const plain = (value: number | bigint): string =>
  typeof value === "number" && Number.isNaN(value) ? "NaN" : String(Object.is(value, -0) ? 0 : value);

function duckCell(value: DuckDBValue): unknown {
  if (value === null || typeof value === "boolean") {
    return value;
  }
  if (typeof value === "string") {
    return hex(Buffer.from(value));
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return plain(value);
  }
  if (value instanceof DuckDBListValue) {
    return value.items.map(duckCell);
  }
  if (value instanceof DuckDBMapValue) {
    return value.entries.map((entry) => [duckCell(entry.key), duckCell(entry.value)]);
  }
  if (value instanceof DuckDBStructValue) {
    return Object.fromEntries(
      Object.entries(value.entries).map(([name, cell]) => [name.toLowerCase(), duckCell(cell)]),
    );
  }
  if (value instanceof DuckDBBlobValue) {
    return hex(value.bytes);
  }
  if (value instanceof DuckDBGeometryValue) {
    return hex(value.bytes);
  }
  if (value instanceof DuckDBTimestampMillisecondsValue) {
    return plain(value.millis * 1000n);
  }
  if (value instanceof DuckDBTimestampNanosecondsValue) {
    return plain(BigInt.asIntN(64, value.nanos - (((value.nanos % 1000n) + 1000n) % 1000n)) / 1000n);
  }
  if (
    value instanceof DuckDBTimestampValue ||
    value instanceof DuckDBTimestampTZValue ||
    value instanceof DuckDBTimeValue ||
    value instanceof DuckDBTimeTZValue
  ) {
    return plain(value.micros);
  }
  if (value instanceof DuckDBDateValue) {
    return plain(value.days);
  }
  if (value instanceof DuckDBDecimalValue) {
    return plain(value.value);
  }
  if (value instanceof DuckDBUUIDValue) {
    return hex(Buffer.from(value.toUint128().toString(16).padStart(32, "0"), "hex"));
  }
  throw new TypeError(`unexpected value of DuckDB: ${String(value)}`);
}

/** One of our values in the same format; strings must be read as bytes. */
export function ourCell(value: NestedValue): unknown {
  if (value === null || typeof value === "boolean") {
    return value;
  }
  if (typeof value === "number" || typeof value === "bigint") {
    return plain(value);
  }
  if (value instanceof Uint8Array) {
    return hex(value);
  }
  if (Array.isArray(value)) {
    return value.map(ourCell);
  }
  if (value instanceof Map) {
    return Array.from(value, ([key, cell]) => [ourCell(key), ourCell(cell)]);
  }
  if (typeof value === "object") {
    return Object.fromEntries(
      Object.entries(value).map(([name, cell]) => [name.toLowerCase(), ourCell(cell)]),
    );
  }
  throw new TypeError(`expected bytes instead of ${value}`);
}
