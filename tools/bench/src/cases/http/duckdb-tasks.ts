/** The same tasks on a Parquet file, with DuckDB. */
import type { LatencyServer } from "../../machine/latency-server.js";
import type { DuckDBUrl } from "../../peers/duckdb-http.js";
import { farRows, type Measured, require, timed } from "./http-task.js";

export async function duckdbTasks(
  server: LatencyServer,
  data: Int32Array,
  open: (url: string) => Promise<DuckDBUrl>,
): Promise<Map<string, Measured>> {
  const rows = data.length;
  const measured = new Map<string, Measured>();
  const another = farRows(rows);
  const fresh = async (work: (file: DuckDBUrl) => Promise<void>): Promise<void> => {
    const file = await open(server.url);
    try {
      await work(file);
    } finally {
      file.close();
    }
  };
  const lookUpRow = async (file: DuckDBUrl, row: number): Promise<void> => {
    const [cell] = await file.query(`SELECT c FROM file LIMIT 1 OFFSET ${row}`);
    require(cell === data[row], "row");
  };
  const lookUpValue = async (file: DuckDBUrl, value: number): Promise<void> => {
    require((await file.query(`SELECT c FROM file WHERE c = ${value}`)).length === 1, "value");
  };
  measured.set(
    "open + 10 rows",
    await timed(server, () =>
      fresh(async (file) =>
        require((await file.query("SELECT c FROM file LIMIT 10"))[9] === data[9], "first rows"),
      ),
    ),
  );
  await fresh(async (file) => {
    await file.query("SELECT c FROM file LIMIT 1");
    measured.set("row of an open file", await timed(server, () => lookUpRow(file, another())));
    measured.set("value of an open file", await timed(server, () => lookUpValue(file, data[another()] ?? 0)));
  });
  measured.set("open + row", await timed(server, () => fresh((file) => lookUpRow(file, another()))));
  measured.set(
    "open + value",
    await timed(server, () => fresh((file) => lookUpValue(file, data[another()] ?? 0))),
  );
  measured.set(
    "all rows",
    await timed(server, () =>
      fresh(async (file) =>
        require(Number((await file.query("SELECT count(c) FROM file WHERE c >= 0"))[0]) === rows, "all rows"),
      ),
    ),
  );
  return measured;
}
