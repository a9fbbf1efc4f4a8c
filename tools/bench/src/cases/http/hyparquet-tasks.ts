/** The same tasks on a Parquet file, with hyparquet. */
import {
  asyncBufferFromUrl,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetReadObjects,
} from "hyparquet";
import type { LatencyServer } from "../../machine/latency-server.js";
import {
  farRows,
  type Measured,
  PEER_SCATTERED,
  require,
  SCATTERED,
  scatteredRows,
  timed,
} from "./http-task.js";

export async function hyparquetTasks(
  server: LatencyServer,
  data: Int32Array,
): Promise<Map<string, Measured>> {
  const rows = data.length;
  const open = async () => {
    const file = await asyncBufferFromUrl({ url: server.url });
    return { file, metadata: await parquetMetadataAsync(file) };
  };
  const read = async (
    { file, metadata }: { file: Awaited<ReturnType<typeof asyncBufferFromUrl>>; metadata: FileMetaData },
    rowStart: number,
    rowEnd: number,
  ): Promise<number> => {
    let count = 0;
    await parquetRead({
      file,
      metadata,
      rowStart,
      rowEnd,
      useOffsetIndex: true,
      onChunk: ({ columnData }) => {
        count += columnData.length;
      },
    });
    return count;
  };
  const measured = new Map<string, Measured>();
  measured.set(
    "open + 10 rows",
    await timed(server, async () => require((await read(await open(), 0, 10)) > 0, "first rows")),
  );
  const opened = await open();
  const another = farRows(rows);
  measured.set(
    "row of an open file",
    await timed(server, async () => {
      const row = another();
      require((await read(opened, row, row + 1)) > 0, "row");
    }),
  );
  measured.set(
    "value of an open file",
    await timed(server, async () => {
      const c = data[another()] ?? 0;
      const found = await parquetReadObjects({ ...opened, useOffsetIndex: true, filter: { c: { $eq: c } } });
      require(found.length === 1, "value");
    }),
  );
  const scattered = scatteredRows(rows, PEER_SCATTERED);
  const some = await timed(server, async () => {
    const file = await open();
    for (const row of scattered) {
      require((await read(file, row, row + 1)) > 0, "scattered rows");
    }
  });
  const times = SCATTERED / PEER_SCATTERED;
  measured.set("scattered rows", {
    milliseconds: some.milliseconds * times,
    requests: some.requests * times,
    bytes: some.bytes * times,
  });
  measured.set(
    "all rows",
    await timed(server, async () => require((await read(await open(), 0, rows)) === rows, "all rows")),
  );
  return measured;
}
