/** The table of `kudu perf loadgen` (INT64, INT32, STRING of 16 bytes), flushed by the server that wrote it. */
import { setTimeout as sleep } from "node:timers/promises";
import { isCFileError } from "@cfile/bytes";
import { openKuduDir } from "@cfile/kudu-dir";
import { WrongAnswer } from "../measure.js";
import { kuduServer, runKudu } from "./kudu-peer.js";
import type { ScannedTablet } from "./tablet-scans.js";

const THREADS = 2;
/** Half-seconds until all rows must be flushed. */
const MAX_WAITS = 120;

/** @param folder new; gets the directories of a master and a tablet server, which is stopped */
export async function loadgenTablet(home: string, folder: string, rows: number): Promise<ScannedTablet> {
  const server = kuduServer(home, folder);
  await server.start();
  try {
    await runKudu(home, [
      "perf",
      "loadgen",
      server.masterAddress,
      "--keep_auto_table",
      `--num_rows_per_thread=${rows / THREADS}`,
      `--num_threads=${THREADS}`,
      "--table_num_hash_partitions=1",
      "--table_num_range_partitions=1",
      "--use_random=false",
      "--string_len=16",
    ]);
    for (let wait = 0; ; wait++) {
      const id = await flushedTablet(server.dataFolder, rows);
      if (id !== undefined) {
        return { server, id, rows };
      }
      if (wait === MAX_WAITS) {
        throw new WrongAnswer(`Kudu has not flushed ${rows} rows`);
      }
      await sleep(500);
    }
  } finally {
    await server.stop();
  }
}

/** The tablet of a running server, as soon as its row sets have this many rows. */
async function flushedTablet(path: string, rows: number): Promise<string | undefined> {
  await using dir = await openKuduDir(path);
  const [table] = await dir.tables();
  const [tablet] = table?.tablets ?? [];
  let flushed = 0;
  try {
    for await (const { length } of tablet?.scan({ columns: ["key"] }) ?? []) {
      flushed += length;
    }
  } catch (error) {
    // While a server still writes row sets, they can change during the read.
    if (isCFileError(error, "E_SOURCE_CHANGED")) {
      return undefined;
    }
    throw error;
  }
  return flushed === rows ? tablet?.id : undefined;
}
