/** DuckDB's Node API on one thread: the table in a database file, with an index on its primary key. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { doubleOf, flagOf, keyOf, microsecondsOf, numberOf, wordOf } from "../data/row-set-data.js";
import { optionalPeer } from "../optional-peer.js";
import type { TablePeer } from "./table-peer.js";

const TABLE =
  'CREATE TABLE t (id BIGINT PRIMARY KEY, n INTEGER, d DOUBLE, word VARCHAR, flag BOOLEAN, "at" BIGINT)';

async function fill(connection: DuckDBConnection, rows: number): Promise<void> {
  await connection.run(TABLE);
  const appender = await connection.createAppender("t");
  for (let row = 0; row < rows; row++) {
    appender.appendBigInt(keyOf(row));
    appender.appendInteger(numberOf(row));
    appender.appendDouble(doubleOf(row));
    appender.appendVarchar(wordOf(row));
    appender.appendBoolean(flagOf(row));
    appender.appendBigInt(microsecondsOf(row));
    appender.endRow();
  }
  appender.closeSync();
  await connection.run("CHECKPOINT");
}

async function sum(result: DuckDBResult): Promise<number> {
  let total = 0;
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; ) {
    for (const column of [0, 1]) {
      for (const value of chunk.getColumnVector(column).toArray()) {
        total += Number(value);
      }
    }
    chunk = await result.fetchChunk();
  }
  return total;
}

/** The peer, or the reason why it is missing. */
export async function duckdbTable(
  rows: number,
): Promise<{ readonly peer?: TablePeer; readonly note?: string }> {
  const { module, note } = await optionalPeer("@duckdb/node-api", () => import("@duckdb/node-api"));
  if (module === undefined) {
    return note === undefined ? {} : { note };
  }
  const folder = await mkdtemp(join(tmpdir(), "cfile-bench-duckdb-"));
  const open = async (name: string) => {
    const instance = await module.DuckDBInstance.create(join(folder, name), { threads: "1" });
    return { instance, connection: await instance.connect() };
  };
  const { instance, connection } = await open("table.duckdb");
  await fill(connection, rows);
  return {
    peer: {
      name: "DuckDB, a tenth of the rows",
      async create() {
        await rm(join(folder, "other.duckdb"), { force: true });
        const other = await open("other.duckdb");
        await fill(other.connection, rows);
        other.connection.closeSync();
        other.instance.closeSync();
        return rows;
      },
      scan: async () => sum(await connection.stream("SELECT n, d FROM t")),
      async lookUp(keys) {
        const statement = await connection.prepare('SELECT id, n, d, word, flag, "at" FROM t WHERE id = $1');
        let found = 0;
        for (const key of keys) {
          statement.bindBigInt(1, key);
          const [row] = await (await statement.run()).getRows();
          found += row?.[0] === key ? 1 : 0;
        }
        return found;
      },
      async range(from, to) {
        const statement = await connection.prepare("SELECT n, d FROM t WHERE id >= $1 AND id < $2");
        statement.bindBigInt(1, from);
        statement.bindBigInt(2, to);
        return sum(await statement.run());
      },
      async close() {
        connection.closeSync();
        instance.closeSync();
        await rm(folder, { recursive: true, force: true });
      },
    },
  };
}
