/**
 * CFiles to Arrow record batches, compared with a plain scan. Data is not copied, so it should not take longer.
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import { benchColumns } from "../../data/bench-columns.js";
import { type Timing, timingOf } from "../../measure.js";

const GOAL = 0.9;
export const SCAN = "plain scan";
export const TO_ARROW = "to Arrow";

/** Runs of a process depend on the memory that it happens to get, so each column has several processes. */
export const STARTS = 3;

const NOTES = [
  "Both open the file and give each batch its own memory, so that it can be kept, like Arrow's. Dictionaries stay codes.",
  "A ratio is the median of three processes. Garbage is collected when the engine decides, because both leave the same.",
];

/** What the process of a column prints. */
export interface ArrowTimes {
  readonly timings: readonly Timing[];
  /** MB or million rows per run. */
  readonly millions: number;
}

const child = fileURLToPath(new URL("../../children/arrow-child.js", import.meta.url));

async function timesOf(column: string, scale: number): Promise<ArrowTimes> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, column, String(scale)]);
  return JSON.parse(stdout) as ArrowTimes;
}

function ratioOf({ timings }: ArrowTimes): number {
  return timingOf(timings, SCAN).milliseconds / timingOf(timings, TO_ARROW).milliseconds;
}

export const arrow: BenchCase = {
  name: "arrow",
  title: "CFiles in memory to Arrow record batches",
  async run(scale) {
    const rows: BenchRow[] = [];
    const goals: BenchGoal[] = [];
    for (const { name, unit } of benchColumns) {
      const runs: ArrowTimes[] = [];
      for (let start = 0; start < STARTS; start++) {
        runs.push(await timesOf(name, scale));
      }
      const median = runs.sort((a, b) => ratioOf(a) - ratioOf(b))[STARTS >> 1] as ArrowTimes;
      const { timings, millions } = median;
      const scan = timingOf(timings, SCAN);
      const toArrow = timingOf(timings, TO_ARROW);
      const ratio = ratioOf(median);
      const rowOf = ({ milliseconds, fastest }: Timing) => ({
        milliseconds,
        fastest,
        rate: (millions / milliseconds) * 1000,
        unit,
      });
      rows.push(
        { contender: `${SCAN}, ${name}`, ...rowOf(scan), ratio: 1 },
        { contender: `${name} ${TO_ARROW}`, ...rowOf(toArrow), ratio, wanted: GOAL },
      );
      goals.push(atLeast(`${name} to Arrow, times the plain scan`, GOAL, ratio));
    }
    return { unit: "MB/s", peer: SCAN, rows, goals, notes: NOTES };
  },
};
