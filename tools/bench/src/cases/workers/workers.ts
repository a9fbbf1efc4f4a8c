/** Scans of files by pools of one worker and two workers, and without a pool. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MemoryArena } from "@cfile/bytes";
import { createWorkerPool, type WorkerPool } from "@cfile/workers";
import { type ColumnBatch, createCFile, openCFile, type WriterOptions } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { checksumOfIntegers, randomWalk, stridedDoubles } from "../../data/data.js";
import { gainOfTwoThreads } from "../../machine/scan-threads.js";
import { contender, measure } from "../../measure.js";

const GOAL = 1.7;
const PEER = "a pool of one worker";
const TWO = "a pool of two workers";
const ALONE = "no pool";
/** Only one in this many rows is read, because reading all of them would keep one core busy. */
const SAMPLE = 1009;

/**
 * Columns with cheap and expensive blocks: short files, for which startup dominates, and long files, for which pools
 * are intended.
 */
const COLUMNS: readonly {
  readonly name: string;
  readonly rows: number;
  readonly options: WriterOptions;
  readonly make: (rows: number) => Int32Array | Float64Array;
}[] = [
  {
    name: "int32, LZ4",
    rows: 20_000_000,
    options: { type: "INT32", encoding: "BIT_SHUFFLE", compression: "LZ4" },
    make: randomWalk,
  },
  {
    name: "int32, LZ4, 100 million rows",
    rows: 100_000_000,
    options: { type: "INT32", encoding: "BIT_SHUFFLE", compression: "LZ4" },
    make: randomWalk,
  },
  {
    name: "float64, zlib",
    rows: 5_000_000,
    options: { type: "DOUBLE", encoding: "BIT_SHUFFLE", compression: "ZLIB" },
    make: stridedDoubles,
  },
  {
    name: "float64, zlib, 20 million rows",
    rows: 20_000_000,
    options: { type: "DOUBLE", encoding: "BIT_SHUFFLE", compression: "ZLIB" },
    make: stridedDoubles,
  },
];

/** Rows, and a checksum of the samples that detects missing, wrong and misplaced batches. */
async function consume(batches: AsyncIterable<ColumnBatch>): Promise<readonly [number, number]> {
  let rows = 0;
  let sum = 0;
  for await (const batch of batches) {
    const values = batch.kind === "fixed" ? (batch.values as Int32Array | Float64Array) : [];
    const first = (SAMPLE - (rows % SAMPLE)) % SAMPLE;
    for (let i = first; i < values.length; i += SAMPLE) {
      sum = checksumOfIntegers([values[i] as number], sum);
    }
    rows += batch.length;
  }
  return [rows, sum];
}

async function scanAlone(path: string): Promise<readonly [number, number]> {
  const file = await openCFile(path);
  try {
    return await consume(file.scan({ arena: new MemoryArena() }));
  } finally {
    await file.close();
  }
}

async function measureColumn(
  { name, rows, options, make }: (typeof COLUMNS)[number],
  path: string,
  pools: { readonly one: WorkerPool; readonly two: WorkerPool },
  scale: number,
): Promise<{ readonly rows: BenchRow[]; readonly goal: BenchGoal; readonly note: string }> {
  const data = make(Math.floor(rows * scale));
  const writer = await createCFile(path, options);
  await writer.append(data);
  await writer.finish();
  const answer = (found: readonly [number, number]): unknown => found;
  const expected = [data.length, checksumOfIntegers(data.filter((_, row) => row % SAMPLE === 0))];
  const timings = await measure(
    [
      contender(PEER, () => consume(pools.one.scan(path, { reuseMemory: true })), answer),
      contender(TWO, () => consume(pools.two.scan(path, { reuseMemory: true })), answer),
      contender(ALONE, () => scanAlone(path), answer),
    ],
    expected,
    Math.min(1, 10 * scale),
  );
  const timeOf = (contenderName: string): number =>
    timings.find((timing) => timing.contender === contenderName)?.milliseconds ?? Number.NaN;
  return {
    rows: timings.map(({ contender: contenderName, milliseconds, fastest }) => ({
      contender: `${contenderName}: ${name}`,
      milliseconds,
      fastest,
      rate: data.length / milliseconds / 1000,
      ratio: timeOf(PEER) / milliseconds,
    })),
    goal: atLeast(`${name}: two workers at the rate of one, times`, GOAL, timeOf(PEER) / timeOf(TWO)),
    note: `limit here, ${name}: two threads that share nothing, not even the file, do ${(await gainOfTwoThreads(path)).toFixed(2)} times the work of one`,
  };
}

export const workers: BenchCase = {
  name: "workers",
  title: "Scan files with workers",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    const pools = { one: createWorkerPool({ workers: 1 }), two: createWorkerPool({ workers: 2 }) };
    try {
      const rows: BenchRow[] = [];
      const goals: BenchGoal[] = [];
      const notes: string[] = [];
      for (const [i, column] of COLUMNS.entries()) {
        const told = await measureColumn(column, join(folder, `${i}.cfile`), pools, scale);
        rows.push(...told.rows);
        goals.push(told.goal);
        notes.push(told.note);
      }
      return {
        unit: "million rows/s",
        peer: PEER,
        rows,
        goals,
        notes: [
          "The thread that takes the batches and those that read the file share the cores with the workers: on two cores, a pool of one worker also uses part of the second core.",
          ...notes,
        ],
      };
    } finally {
      await Promise.all([pools.one.close(), pools.two.close()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};
