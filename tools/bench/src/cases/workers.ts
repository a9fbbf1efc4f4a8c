/** A scan of a file of 20 million int32 by a pool of one worker and of two, and without a pool. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createWorkerPool } from "@cfile/workers";
import { type ColumnBatch, createCFile, openCFile } from "cfile";
import { atLeast, type BenchCase } from "../bench-case.js";
import { checksumOfIntegers, randomWalk } from "../data.js";
import { contender, measure } from "../measure.js";

const ROWS = 20_000_000;
const GOAL = 1.7;
const PEER = "a pool of one worker";
const TWO = "a pool of two workers";
/** Every so many rows one is looked at: to look at all of them would keep one core busy. */
const SAMPLE = 1009;

/** Rows, and a checksum of the samples, which finds batches that are missing, wrong or not in their place. */
async function consume(batches: AsyncIterable<ColumnBatch>): Promise<readonly [number, number]> {
  let rows = 0;
  let sum = 0;
  for await (const batch of batches) {
    const values = batch.kind === "fixed" ? (batch.values as Int32Array) : [];
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
    return await consume(file.scan({ reuseMemory: true }));
  } finally {
    await file.close();
  }
}

export const workers: BenchCase = {
  name: "workers",
  title: "Scan a file of 20 million int32 (bitshuffle, LZ4) with workers",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-"));
    const one = createWorkerPool({ workers: 1 });
    const two = createWorkerPool({ workers: 2 });
    try {
      const path = join(folder, "column.cfile");
      const data = randomWalk(ROWS * scale);
      const writer = await createCFile(path, { type: "INT32", encoding: "BIT_SHUFFLE", compression: "LZ4" });
      await writer.append(data);
      await writer.finish();
      const answer = (found: readonly [number, number]): unknown => found;
      const expected = [data.length, checksumOfIntegers(data.filter((_, row) => row % SAMPLE === 0))];
      const timings = await measure(
        [
          contender(PEER, () => consume(one.scan(path, { reuseMemory: true })), answer),
          contender(TWO, () => consume(two.scan(path, { reuseMemory: true })), answer),
          contender("no pool", () => scanAlone(path), answer),
        ],
        expected,
        Math.min(1, 10 * scale),
      );
      const timeOf = (name: string): number =>
        timings.find((timing) => timing.contender === name)?.milliseconds ?? Number.NaN;
      return {
        unit: "million rows/s",
        peer: PEER,
        rows: timings.map(({ contender: name, milliseconds, fastest }) => ({
          contender: name,
          milliseconds,
          fastest,
          rate: data.length / milliseconds / 1000,
          ratio: timeOf(PEER) / milliseconds,
        })),
        goals: [atLeast("two workers at the rate of one, times", GOAL, timeOf(PEER) / timeOf(TWO))],
        notes: [
          "Two workers and the thread that takes their batches share the cores: with two of them, less is gained.",
        ],
      };
    } finally {
      await Promise.all([one.close(), two.close()]);
      await rm(folder, { recursive: true, force: true });
    }
  },
};
