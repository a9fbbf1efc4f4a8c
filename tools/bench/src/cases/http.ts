/** Tasks on a file behind a web server, near and far: number of requests, bytes, and time. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpSource } from "@cfile/io/http";
import { type CFileReader, createCFile, memorySink, openCFile } from "cfile";
import {
  asyncBufferFromUrl,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetReadObjects,
} from "hyparquet";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import type { HttpScans } from "../children/http-scans-child.js";
import { randomNumbers } from "../data/data.js";
import { LatencyServer, type Traffic } from "../machine/latency-server.js";
import { node } from "../machine/split-processes.js";
import { WrongAnswer } from "../measure.js";
import { type DuckDBUrl, duckdbOverHttp } from "../peers/duckdb-http.js";
import { writeWithHyparquet } from "../peers.js";
import { median, medianRatio } from "../turns.js";

const ROWS = 10_000_000;
const LATENCIES = [0, 50] as const;
const SCATTERED = 1000;
/** hyparquet reads fewer rows, because it is much slower per row. */
const PEER_SCATTERED = 20;
const RUNS = 3;
const child = fileURLToPath(new URL("../children/http-scans-child.js", import.meta.url));

interface Measured extends Traffic {
  readonly milliseconds: number;
}

/** The median of several runs with the same requests. */
async function timed(server: LatencyServer, task: () => Promise<void>): Promise<Measured> {
  const runs: Measured[] = [];
  for (let run = 0; run < RUNS; run++) {
    server.take();
    const start = performance.now();
    await task();
    runs.push({ milliseconds: performance.now() - start, ...server.take() });
  }
  runs.sort((a, b) => a.milliseconds - b.milliseconds);
  return runs[1] as Measured;
}

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

function require(answer: boolean, task: string): void {
  if (!answer) {
    throw new WrongAnswer(task);
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

async function cfileTasks(server: LatencyServer, data: Int32Array): Promise<Map<string, Measured>> {
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
  let turn = 0;
  // Every run requests a different block, so that the block is never in memory.
  const another = (): number => (turn++ * 1_234_577 + 777_777) % rows;
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
  const next = randomNumbers(5);
  const scattered = Uint32Array.from({ length: SCATTERED }, () => next() % rows);
  measured.set(
    "scattered rows",
    await timed(server, async () => {
      const cells = await (await open()).getMany(scattered);
      require(cells.every((cell, i) => cell === data[scattered[i] ?? 0]), "scattered rows");
    }),
  );
  return measured;
}

async function hyparquetTasks(server: LatencyServer, data: Int32Array): Promise<Map<string, Measured>> {
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
  let turn = 0;
  const another = (): number => (turn++ * 1_234_577 + 777_777) % rows;
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
  const next = randomNumbers(5);
  const scattered = Array.from({ length: PEER_SCATTERED }, () => next() % rows);
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

async function duckdbTasks(
  server: LatencyServer,
  data: Int32Array,
  open: (url: string) => Promise<DuckDBUrl>,
): Promise<Map<string, Measured>> {
  const rows = data.length;
  const measured = new Map<string, Measured>();
  let turn = 0;
  const another = (): number => (turn++ * 1_234_577 + 777_777) % rows;
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
