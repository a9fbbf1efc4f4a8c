/** Reads a Parquet file with DuckDB and prints its rows as JSON. Arguments: path, columns as JSON. */
import { readByDuckDb } from "./duckdb-rows.js";

const [path = "", columns = "[]"] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await readByDuckDb(path, JSON.parse(columns))));
