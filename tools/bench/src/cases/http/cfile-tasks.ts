/** Tasks on a CFile behind a web server. */
import { httpSource } from "@cfile/io/http";
import { type CFileReader, openCFile } from "cfile";
import type { LatencyServer } from "../../machine/latency-server.js";
import { farRows, type Measured, require, SCATTERED, scatteredRows, timed } from "./http-task.js";

export async function cfileTasks(server: LatencyServer, data: Int32Array): Promise<Map<string, Measured>> {
  const rows = data.length;
  const open = (): Promise<CFileReader> => openCFile(httpSource(server.url));
  const measured = new Map<string, Measured>();
  measured.set(
    "open + 10 rows",
    await timed(server, async () => {
      for await (const batch of (await open()).scan({ rows: { to: 10 } })) {
        require(batch.get(9) === data[9], "first rows");
      }
    }),
  );
  const file = await open();
  const another = farRows(rows);
  measured.set(
    "row of an open file",
    await timed(server, async () => {
      const row = another();
      require((await file.get(row)) === data[row], "row");
    }),
  );
  measured.set(
    "value of an open file",
    await timed(server, async () => {
      const row = another();
      require((await file.find(data[row] ?? 0))?.row === row, "value");
    }),
  );
  measured.set(
    "open + row",
    await timed(server, async () => {
      const row = another();
      require((await (await open()).get(row)) === data[row], "row");
    }),
  );
  measured.set(
    "open + value",
    await timed(server, async () => {
      const row = another();
      require((await (await open()).find(data[row] ?? 0))?.row === row, "value");
    }),
  );
  const scattered = scatteredRows(rows, SCATTERED);
  measured.set(
    "scattered rows",
    await timed(server, async () => {
      const cells = await (await open()).getMany(scattered);
      require(cells.every((cell, i) => cell === data[scattered[i] ?? 0]), "scattered rows");
    }),
  );
  return measured;
}
