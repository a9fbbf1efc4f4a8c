/**
 * DuckDB's Node API on one thread: the column as a table in a database file. An appender writes it chunk by
 * chunk; a streaming query reads it in chunks.
 */
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ScalarBatch } from "@cfile/encodings";
import type { DuckDBConnection, DuckDBInstance, DuckDBValue } from "@duckdb/node-api";
import { optionalPeer } from "../optional-peer.js";
import { cellsInTurn } from "./cells-in-turn.js";
import type { ColumnPeer } from "./column-peer.js";

const CHUNK_ROWS = 2048;
const SQL_TYPES: Readonly<Record<string, string>> = {
  INT32: "INTEGER",
  INT64: "BIGINT",
  DOUBLE: "DOUBLE",
  BOOL: "BOOLEAN",
  STRING: "VARCHAR",
};

type DuckDB = typeof import("@duckdb/node-api");

const loadDuckDB = () => optionalPeer("@duckdb/node-api", () => import("@duckdb/node-api"));

async function append(
  { DuckDBDataChunk }: DuckDB,
  connection: DuckDBConnection,
  type: string,
  cells: ArrayLike<unknown>,
): Promise<void> {
  await connection.run(`CREATE TABLE t (c ${type})`);
  const appender = await connection.createAppender("t");
  const types = [appender.columnType(0)];
  for (let from = 0; from < cells.length; from += CHUNK_ROWS) {
    const rows = Math.min(CHUNK_ROWS, cells.length - from);
    const chunk = DuckDBDataChunk.create(types, rows);
    const vector = chunk.getColumnVector(0);
    for (let i = 0; i < rows; i++) {
      vector.setItem(i, cells[from + i] as DuckDBValue);
    }
    vector.flush();
    appender.appendDataChunk(chunk);
  }
  appender.closeSync();
  await connection.run("CHECKPOINT");
}

/** The peer, or the reason why it is missing. */
export async function duckdbColumn(
  batch: ScalarBatch,
): Promise<{ readonly peer?: ColumnPeer; readonly note?: string }> {
  const { module, note } = await loadDuckDB();
  if (module === undefined) {
    return note === undefined ? {} : { note };
  }
  const { cells, writing } = cellsInTurn(batch);
  const type = SQL_TYPES[batch.type] ?? batch.type;
  const folder = await mkdtemp(join(tmpdir(), "cfile-bench-duckdb-"));
  const open = (path: string): Promise<DuckDBInstance> =>
    module.DuckDBInstance.create(path, { threads: "1" });
  const write = async (path: string): Promise<number> => {
    const instance = await open(path);
    const connection = await instance.connect();
    await append(module, connection, type, cells());
    connection.closeSync();
    instance.closeSync();
    return (await stat(path)).size;
  };
  const path = join(folder, "column.duckdb");
  await write(path);
  const instance = await open(path);
  const connection = await instance.connect();
  return {
    peer: {
      name: "DuckDB",
      async write() {
        const other = join(folder, "written.duckdb");
        await rm(other, { force: true });
        return write(other);
      },
      writing,
      async read(visit) {
        const result = await connection.stream("SELECT c FROM t");
        let rows = 0;
        for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; ) {
          const vector = chunk.getColumnVector(0);
          rows += vector.itemCount;
          visit?.(vector.toArray());
          chunk = await result.fetchChunk();
        }
        return rows;
      },
      async close() {
        connection.closeSync();
        instance.closeSync();
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}
