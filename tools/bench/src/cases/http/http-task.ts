/** A task on a file behind a web server: its time, requests and bytes. */
import { randomNumbers } from "../../data/data.js";
import type { LatencyServer, Traffic } from "../../machine/latency-server.js";
import { WrongAnswer } from "../../measure.js";

const RUNS = 3;
/** Number of rows that are looked up at random places in one call. */
export const SCATTERED = 1000;
/** hyparquet reads fewer rows, because it is much slower per row. */
export const PEER_SCATTERED = 20;

export interface Measured extends Traffic {
  readonly milliseconds: number;
}

/** The median of several runs with the same requests. */
export async function timed(server: LatencyServer, task: () => Promise<void>): Promise<Measured> {
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

export function require(answer: boolean, task: string): void {
  if (!answer) {
    throw new WrongAnswer(task);
  }
}

/** Row numbers that are far from each other: each one is in another block, so that the block is never in memory. */
export function farRows(rows: number): () => number {
  let turn = 0;
  return () => (turn++ * 1_234_577 + 777_777) % rows;
}

/** Row numbers at random places. */
export function scatteredRows(rows: number, count: number): Uint32Array {
  const next = randomNumbers(5);
  return Uint32Array.from({ length: count }, () => next() % rows);
}
