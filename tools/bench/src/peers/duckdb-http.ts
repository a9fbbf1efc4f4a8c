/**
 * DuckDB's Node API over a network: a Parquet file behind a URL, through the extension httpfs, which must be
 * installed.
 */
import type { DuckDBConnection } from "@duckdb/node-api";
import { optionalPeer } from "../optional-peer.js";

export interface DuckDBUrl {
  /** Returns the first column of the rows of a query; `FROM file` stands for the URL. */
  readonly query: (sql: string) => Promise<readonly unknown[]>;
  readonly close: () => void;
}

/** A function that opens the file without cached data, or the reason why DuckDB is not available. */
export async function duckdbOverHttp(): Promise<{
  readonly open?: (url: string) => Promise<DuckDBUrl>;
  readonly note?: string;
}> {
  const { module, note } = await optionalPeer("@duckdb/node-api", () => import("@duckdb/node-api"));
  if (module === undefined) {
    return note === undefined ? {} : { note };
  }
  const connect = async (): Promise<{ connection: DuckDBConnection; close: () => void }> => {
    const instance = await module.DuckDBInstance.create(":memory:", { threads: "1" });
    const connection = await instance.connect();
    await connection.run("LOAD httpfs");
    return {
      connection,
      close: () => {
        connection.closeSync();
        instance.closeSync();
      },
    };
  };
  try {
    const instance = await module.DuckDBInstance.create(":memory:");
    await (await instance.connect()).run("INSTALL httpfs");
    (await connect()).close();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    return { note: `missing: DuckDB over HTTP; cannot install its extension httpfs (${reason})` };
  }
  return {
    open: async (url) => {
      const { connection, close } = await connect();
      return {
        query: async (sql) => {
          const reader = await connection.runAndReadAll(
            sql.replace("FROM file", `FROM read_parquet('${url}')`),
          );
          return reader.getRows().map(([cell]) => cell);
        },
        close,
      };
    },
  };
}
