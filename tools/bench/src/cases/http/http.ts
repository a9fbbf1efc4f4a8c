/** Tasks on a file behind a web server, near and far: number of requests, bytes, and time. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCFile, memorySink } from "cfile";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import type { HttpScans } from "../../children/http-scans-child.js";
import { randomNumbers } from "../../data/data.js";
import { LatencyServer } from "../../machine/latency-server.js";
import { node } from "../../machine/split-processes.js";
import { duckdbOverHttp } from "../../peers/duckdb-http.js";
import { writeWithHyparquet } from "../../peers.js";
import { median, medianRatio } from "../../turns.js";
import { cfileTasks } from "./cfile-tasks.js";
import { duckdbTasks } from "./duckdb-tasks.js";
import { type Measured, PEER_SCATTERED, SCATTERED } from "./http-task.js";
import { hyparquetTasks } from "./hyparquet-tasks.js";

const ROWS = 10_000_000;
const LATENCIES = [0, 50] as const;
const child = fileURLToPath(new URL("../../children/http-scans-child.js", import.meta.url));

/** Scans and downloads in a process of their own: their times depend on the memory that earlier tasks leave behind. */
async function scansInTurn(file: Uint8Array, latency: number, rows: number): Promise<HttpScans> {
  const folder = await mkdtemp(join(tmpdir(), "cfile-http-"));
  const path = join(folder, "file");
  try {
    await writeFile(path, file);
    return JSON.parse(await node([child, path, String(latency), String(rows)])) as HttpScans;
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Ascending numbers with random gaps. */
function sortedNumbers(rows: number): Int32Array {
  const next = randomNumbers(7);
  const values = new Int32Array(rows);
  for (let row = 1; row < rows; row++) {
    values[row] = (values[row - 1] ?? 0) + 1 + (next() % 200);
  }
  return values;
}

export const http: BenchCase = {
  name: "http",
  title:
    "A file of 10 million sorted int32 on a web server: requests, bytes and time, at 0 and 50 ms latency",
  async run(scale) {
    const data = sortedNumbers(ROWS * scale);
    const sink = memorySink();
    const writer = await createCFile(sink, { type: "INT32", compression: "LZ4", validx: true });
    await writer.append(data);
    await writer.finish();
    const cfile = sink.bytes();
    const parquet = new Uint8Array(writeWithHyparquet(data, "INT32", "SNAPPY"));
    const duckdb = await duckdbOverHttp();
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const latency of LATENCIES) {
      const [ours, theirs] = await Promise.all([
        LatencyServer.start(cfile, latency),
        LatencyServer.start(parquet, latency),
      ]);
      try {
        const cfileTimes = await cfileTasks(ours, data);
        const scans = await scansInTurn(cfile, latency, data.length);
        for (const [task, { times, ...traffic }] of Object.entries(scans)) {
          cfileTimes.set(task, { milliseconds: median(times), ...traffic });
        }
        const peerTimes = await hyparquetTasks(theirs, data);
        const duckdbTimes = duckdb.open && (await duckdbTasks(theirs, data, duckdb.open));
        for (const [task, own] of cfileTimes) {
          const peer = peerTimes.get(task);
          for (const [name, measured] of [
            ["hyparquet", peer],
            ["DuckDB", duckdbTimes?.get(task)],
            ["cfile", own],
          ] as const) {
            if (measured !== undefined) {
              const { milliseconds, requests, bytes } = measured;
              rows.push({
                contender: `${name}, ${latency} ms: ${task} (${Math.round(requests)} requests, ${(bytes / 1024).toFixed(0)} KiB)`,
                milliseconds,
                rate: 1000 / milliseconds,
                ratio: peer && peer.milliseconds / milliseconds,
              });
            }
          }
        }
        goals.push(...goalsOf(cfileTimes, scans, latency));
      } finally {
        await Promise.all([ours.stop(), theirs.stop()]);
      }
    }
    return {
      unit: "tasks/s",
      peer: "hyparquet",
      rows,
      goals,
      notes: [
        `files: cfile ${(cfile.length / 1048576).toFixed(1)} MiB (bitshuffle, LZ4, both indexes), Parquet ${(parquet.length / 1048576).toFixed(1)} MiB (Snappy)`,
        "the goals compare with a plain download by fetch, which cfile also uses, in turn with the scans of all rows in a process of its own: the median of the ratios within a turn",
        "announced: opened with prefetchBytes, which requests the start of the file together with its end; otherwise the requests are sequential",
        ...(duckdb.note === undefined ? [] : [duckdb.note]),
        `scattered rows are ${SCATTERED}; hyparquet reads ${PEER_SCATTERED} of them, times ${SCATTERED / PEER_SCATTERED}`,
      ],
    };
  },
};

function goalsOf(times: ReadonlyMap<string, Measured>, scans: HttpScans, latency: number): BenchGoal[] {
  const of = (task: string): Measured => times.get(task) as Measured;
  return [
    atMost(`requests to open and read 10 rows (${latency} ms)`, 2, of("open + 10 rows").requests),
    atMost(`KiB to open and read 10 rows (${latency} ms)`, 128, of("open + 10 rows").bytes / 1024),
    atMost(`requests to open and look up a row (${latency} ms)`, 2, of("open + row").requests),
    atMost(`requests to open and look up a value (${latency} ms)`, 2, of("open + value").requests),
    atMost(`requests for a row of an open file (${latency} ms)`, 1, of("row of an open file").requests),
    atMost(`requests for a value of an open file (${latency} ms)`, 1, of("value of an open file").requests),
    atMost(`requests for ${SCATTERED} scattered rows (${latency} ms)`, 200, of("scattered rows").requests),
    ...(["all rows of an open file", "all rows, announced"] as const).map((task) =>
      atLeast(
        `${task}, against a plain download (${latency} ms)`,
        0.8,
        medianRatio(scans["plain download"].times, scans[task].times),
      ),
    ),
  ];
}
