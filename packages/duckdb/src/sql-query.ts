/**
 * SQL over table stores and CFiles with DuckDB. A query is planned against empty tables; the plan names the columns and conditions
 * of each scan; only these rows go through a temporary Parquet file, because DuckDB's Node API cannot read Arrow.
 */
import { CFileError } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import { exportParquet } from "@cfile/parquet/write";
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { duckdbType, quotedName, quotedText } from "./duckdb-type.js";
import { scanPlan, scansOfPlan } from "./scan-plan.js";
import { quotedNames, rowSetSource, type ScannableTable, type SqlSource, sourceAt } from "./sql-source.js";

/** The module `@duckdb/node-api`. */
export type DuckdbLibrary = typeof import("@duckdb/node-api");

/** Tables of a query, and the DuckDB that runs it. */
export interface SqlOptions {
  /** Open tables by their names in the query, in addition to paths of table stores and CFiles. They stay open. */
  readonly tables?: Readonly<Record<string, ScannableTable>> | undefined;
  /** Default: the installed one. */
  readonly duckdb?: DuckdbLibrary | undefined;
  /** DuckDB's settings, such as `{ threads: "1", memory_limit: "1GB" }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The data read from a table. */
export interface SqlScan {
  /** Name in the query. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Conditions that the scan applied; conditions on key columns become key ranges. */
  readonly where: readonly NamedCondition[];
  /** Rows passed to DuckDB. */
  readonly rows: number;
}

/** `@duckdb/node-api`. @throws {CFileError} `E_UNSUPPORTED` with the install command when it is not installed */
export async function loadDuckdb(): Promise<DuckdbLibrary> {
  try {
    return await import("@duckdb/node-api");
  } catch (cause) {
    const reason = "SQL needs DuckDB, which is not installed: npm install @duckdb/node-api";
    throw new CFileError("E_UNSUPPORTED", reason, { field: "@duckdb/node-api", cause });
  }
}

/**
 * Runs one query: `SELECT city, count(*) FROM 'weather/' WHERE day >= DATE '2024-01-01' GROUP BY city`.
 * @throws {CFileError} `E_UNSUPPORTED` without DuckDB; `E_INVALID_ARGUMENT` with DuckDB's message for an invalid query; as reading the
 *   tables
 */
export async function querySql(sql: string, options: SqlOptions = {}): Promise<SqlResult> {
  const duckdb = options.duckdb ?? (await loadDuckdb());
  const { mkdtemp, rm } = await import("node:fs/promises");
  const { tmpdir } = await import("node:os");
  const folder = await mkdtemp(`${tmpdir()}/cfile-sql-`);
  const instance = await duckdb.DuckDBInstance.create(":memory:", options.settings);
  const connection = await instance.connect();
  const close = async (): Promise<void> => {
    connection.closeSync();
    instance.closeSync();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const scans = await loadTables(connection, sql, folder, options);
    const result = await refusedBySql(() => connection.stream(sql));
    return new SqlResult(result, duckdb, scans, close);
  } catch (error) {
    await close();
    throw error;
  }
}

async function loadTables(
  connection: DuckDBConnection,
  sql: string,
  folder: string,
  { tables = {}, signal }: SqlOptions,
): Promise<SqlScan[]> {
  const sources = new Map<string, SqlSource>();
  try {
    for (const [name, table] of Object.entries(tables)) {
      sources.set(name, rowSetSource(table));
    }
    for (const name of quotedNames(sql)) {
      const source = sources.get(name) ?? (await sourceAt(name));
      if (source !== undefined) {
        sources.set(name, source);
      }
    }
    for (const [name, { columns }] of sources) {
      const fields = columns.map((column) => `${quotedName(column.name)} ${duckdbType(column)}`);
      await connection.run(`CREATE TABLE ${quotedName(name)} (${fields.join(", ")})`);
    }
    // Without this, the optimizer removes scans of the empty tables.
    await connection.run("SET disabled_optimizers = 'statistics_propagation'");
    const plan = await refusedBySql(() => connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`));
    await connection.run("SET disabled_optimizers = ''");
    const found = scansOfPlan(String(plan.getRows()[0]?.[1] ?? "[]"));
    const scans: SqlScan[] = [];
    for (const [name, source] of sources) {
      const { columns, where } = scanPlan(found, name, source.columns);
      const path = `${folder}/${scans.length}.parquet`;
      const table = source.scan(columns, where, signal);
      const { rows } = await exportParquet(path, table, { codec: "UNCOMPRESSED" });
      await connection.run(`DROP TABLE ${quotedName(name)}`);
      await connection.run(`CREATE VIEW ${quotedName(name)} AS FROM read_parquet(${quotedText(path)})`);
      scans.push({ table: name, columns, where, rows });
    }
    return scans;
  } finally {
    await Promise.all([...sources.values()].map((source) => source.close()));
  }
}

async function refusedBySql<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CFileError("E_INVALID_ARGUMENT", reason.trim(), { field: "sql", cause });
  }
}

/** The result of a query. */
export class SqlResult {
  readonly columnNames: readonly string[];
  /** DuckDB's types, such as `BIGINT`. */
  readonly columnTypes: readonly string[];
  /** The data read for the query. */
  readonly scans: readonly SqlScan[];
  /** Releases DuckDB's memory and removes the temporary files. */
  readonly close: () => Promise<void>;
  private readonly result: DuckDBResult;
  private readonly duckdb: DuckdbLibrary;

  /** @internal */
  constructor(
    result: DuckDBResult,
    duckdb: DuckdbLibrary,
    scans: readonly SqlScan[],
    close: () => Promise<void>,
  ) {
    this.result = result;
    this.duckdb = duckdb;
    this.scans = scans;
    this.close = close;
    this.columnNames = result.columnNames();
    this.columnTypes = result.columnTypes().map(String);
  }

  /**
   * The rows in portions; they can be read only once.
   * @param values `"js"`: numbers, bigints, strings, dates, bytes; `"json"`: JSON values, wide integers as text
   * @throws {CFileError} `E_INVALID_ARGUMENT` when DuckDB rejects the query
   */
  async *rows(values: "js" | "json" = "js"): AsyncGenerator<readonly (readonly unknown[])[], void, void> {
    const { JSDuckDBValueConverter: js, JsonDuckDBValueConverter: json } = this.duckdb;
    for (;;) {
      const chunk = await refusedBySql(() => this.result.fetchChunk());
      if (chunk === null || chunk.rowCount === 0) {
        return;
      }
      yield values === "js" ? chunk.convertRows(js) : chunk.convertRows(json);
    }
  }

  /** All rows. @throws {CFileError} as `rows` */
  async toArray(): Promise<(readonly unknown[])[]> {
    const all: (readonly unknown[])[] = [];
    for await (const portion of this.rows()) {
      all.push(...portion);
    }
    return all;
  }

  /** Closes the query at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
