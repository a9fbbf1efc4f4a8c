/**
 * SQLite compiled to WebAssembly (sql.js): the table of `row-set-data.ts` in memory, with the key as its
 * B-tree.
 */
import initSqlJs from "sql.js";
import { doubleOf, flagOf, keyOf, microsecondsOf, numberOf, wordOf } from "../data/row-set-data.js";
import type { TablePeer } from "./table-peer.js";

export const SQLITE = "SQLite (sql.js), a tenth of the rows";

export async function sqliteTable(rows: number): Promise<TablePeer> {
  const { Database } = await initSqlJs();
  const fill = () => {
    const database = new Database();
    database.run(
      "CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER, d REAL, word TEXT, flag INTEGER, at INTEGER)",
    );
    database.run("BEGIN");
    const insert = database.prepare("INSERT INTO t VALUES (?, ?, ?, ?, ?, ?)");
    for (let row = 0; row < rows; row++) {
      insert.run([
        Number(keyOf(row)),
        numberOf(row),
        doubleOf(row),
        wordOf(row),
        flagOf(row) ? 1 : 0,
        Number(microsecondsOf(row)),
      ]);
    }
    insert.free();
    database.run("COMMIT");
    return database;
  };
  const database = fill();
  const sum = (sql: string, parameters: number[]): number => {
    const statement = database.prepare(sql, parameters);
    let total = 0;
    while (statement.step()) {
      const [n, d] = statement.get() as [number, number];
      total += n + d;
    }
    statement.free();
    return total;
  };
  return {
    name: SQLITE,
    create() {
      const other = fill();
      other.close();
      return rows;
    },
    scan: () => sum("SELECT n, d FROM t", []),
    lookUp(keys) {
      const statement = database.prepare("SELECT id, n, d, word, flag, at FROM t WHERE id = ?");
      let found = 0;
      for (const key of keys) {
        statement.bind([Number(key)]);
        if (statement.step()) {
          found += statement.get()[0] === Number(key) ? 1 : 0;
        }
        statement.reset();
      }
      statement.free();
      return found;
    },
    range: (from, to) => sum("SELECT n, d FROM t WHERE id >= ? AND id < ?", [Number(from), Number(to)]),
    close: () => database.close(),
  };
}
