/**
 * SQL over row sets and CFiles, by DuckDB. DuckDB's Node API takes no Arrow; what it reads fastest that we write is Parquet. So a
 * query is planned against empty tables, the plan tells which columns and conditions the scan of each needs, and just these rows
 * go through a Parquet file that is gone after the query.
 */
import { CFileError } from "@cfile/bytes";
import type { NamedCondition } from "@cfile/encodings/conditions";
import { exportParquet } from "@cfile/parquet/write";
import type { TableStore } from "@cfile/rowset/store";
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { duckdbType, quotedName, quotedText } from "./duckdb-type.js";
import { scanPlan, scansOfPlan } from "./scan-plan.js";
import { quotedNames, rowSetSource, type SqlSource, sourceAt } from "./sql-source.js";

/** The module `@duckdb/node-api`, as `import` gives it. */
export type DuckdbLibrary = typeof import("@duckdb/node-api");

/** Tables that a query may name, and the DuckDB that runs it. */
export interface SqlOptions {
  /** Tables by the names they have in the query, beside paths of row sets and CFiles. They stay open. */
  readonly tables?: Readonly<Record<string, Pick<TableStore, "schema" | "scan">>> | undefined;
  /** Default: the one that is installed. */
  readonly duckdb?: DuckdbLibrary | undefined;
  /** Settings of DuckDB, like `{ threads: "1", memory_limit: "1GB" }`. */
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What was read of a table. */
export interface SqlScan {
  /** Name in the query. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Conditions that the scan itself fulfilled; on key columns they are key ranges. */
  readonly where: readonly NamedCondition[];
  /** Rows that were given to DuckDB. */
  readonly rows: number;
}

/** `@duckdb/node-api`. @throws {CFileError} `E_UNSUPPORTED` with the install line when it is not installed */
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
 * @throws {CFileError} `E_UNSUPPORTED` without DuckDB; `E_INVALID_ARGUMENT` with DuckDB's message for a query that it refuses; what
 *   reading the tables throws
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
      const source = sources.has(name) ? undefined : await sourceAt(name);
      if (source !== undefined) {
        sources.set(name, source);
      }
    }
    for (const [name, { columns }] of sources) {
      const fields = columns.map((column) => `${quotedName(column.name)} ${duckdbType(column)}`);
      await connection.run(`CREATE TABLE ${quotedName(name)} (${fields.join(", ")})`);
    }
    // Of empty tables the optimizer would know that there is nothing to scan.
    await connection.run("SET disabled_optimizers = 'statistics_propagation'");
    const plan = await refusedBySql(() => connection.runAndReadAll(`EXPLAIN (FORMAT JSON) ${sql}`));
    await connection.run("SET disabled_optimizers = ''");
    const found = scansOfPlan(String(plan.getRows()[0]?.[1] ?? "[]"));
    const scans: SqlScan[] = [];
    for (const [name, source] of sources) {
      const { columns, where } = scanPlan(found, name, source.columns);
      const path = `${folder}/${scans.length}.parquet`;
      const { rows } = await exportParquet(path, source.scan(columns, where, signal), {
        codec: "UNCOMPRESSED",
      });
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

/** The rows of a query, as DuckDB gives them. */
export class SqlResult {
  readonly columnNames: readonly string[];
  /** Types of DuckDB, like `BIGINT`. */
  readonly columnTypes: readonly string[];
  /** What was read for the query. */
  readonly scans: readonly SqlScan[];
  private readonly result: DuckDBResult;
  private readonly duckdb: DuckdbLibrary;
  private readonly end: () => Promise<void>;

  /** @internal */
  constructor(
    result: DuckDBResult,
    duckdb: DuckdbLibrary,
    scans: readonly SqlScan[],
    end: () => Promise<void>,
  ) {
    this.result = result;
    this.duckdb = duckdb;
    this.scans = scans;
    this.end = end;
    this.columnNames = result.columnNames();
    this.columnTypes = result.columnTypes().map(String);
  }

  /**
   * The rows, in portions, once.
   * @param values `"js"`: numbers, bigints, strings, dates, bytes; `"json"`: what JSON holds, wide integers as text
   * @throws {CFileError} `E_INVALID_ARGUMENT` when DuckDB refuses the query; otherwise what the scans of its tables
   *   throw
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

  /**
   * All rows.
   * @throws {CFileError} as `rows`
   */
  async toArray(): Promise<(readonly unknown[])[]> {
    const all: (readonly unknown[])[] = [];
    for await (const portion of this.rows()) {
      for (const row of portion) {
        all.push(row);
      }
    }
    return all;
  }

  /** Gives back DuckDB's memory and the temporary files. */
  close(): Promise<void> {
    return this.end();
  }

  /** Ends the query at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}
