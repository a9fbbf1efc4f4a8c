/**
 * Comparisons of tables of 10 million rows: time relative to reading both tables, memory, and the differences
 * found. Each runs in a new process.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import type { CompareReport } from "../../children/compare-child.js";
import { DEFECTS, type Defect } from "../../data/compared-tables.js";
import { cfile, node } from "../../machine/split-processes.js";
import { WrongAnswer } from "../../measure.js";
import { median, medianRatio, takeTurns, timesOf } from "../../turns.js";

const ROWS = 10_000_000;
const FLUSHES = 16;
const RUNS = 5;
const PEER = "cfile: both tables read";
const GOAL = 1.5;
const GOAL_MEMORY = 256;

const child = fileURLToPath(new URL("../../children/compare-child.js", import.meta.url));

/** The report of one process, checked. */
async function reportOf(args: readonly string[], found: number): Promise<CompareReport> {
  const report = JSON.parse(await node([child, ...args])) as CompareReport;
  if (report.isExact ? report.found !== found : report.found === 0 || report.found >= found) {
    throw new WrongAnswer(`${args.join(" ")}: ${report.found} differences, expected ${found}`);
  }
  return report;
}

function rowOf(
  contender: string,
  rows: number,
  times: readonly number[],
  ratio: number | undefined,
): BenchRow {
  const milliseconds = median(times);
  return { contender, milliseconds, rate: rows / milliseconds / 1000, ratio };
}

const peakOf = (reports: readonly CompareReport[]): number =>
  Math.max(...reports.map(({ maxRssMiB }) => maxRssMiB));

/** The number of differences that a defect makes. */
function differencesOf(defect: Defect, rows: number): number {
  switch (defect) {
    case "nothing":
      return 0;
    case "milliseconds instead of microseconds in all rows":
      return rows;
    default:
      return 1;
  }
}

async function findings(scale: number) {
  const rows = Math.ceil(ROWS * scale);
  const found: BenchRow[] = [];
  let memory = 0;
  for (const defect of DEFECTS) {
    const report = await reportOf(["find", defect, `${rows}`], differencesOf(defect, rows));
    found.push(rowOf(`cfile: generated tables, ${defect}`, report.rows, [report.milliseconds], undefined));
    memory = Math.max(memory, report.maxRssMiB);
  }
  return { found, memory };
}

export const compare: BenchCase = {
  name: "compare",
  title: "Comparison of two tables of 10 million rows",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-compare-"));
    try {
      const rows = Math.ceil(ROWS * scale);
      const path = join(folder, "server");
      const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
      await server.add({ table: "load", schema: loadSchema, rowSets: loadRowSets(rows, FLUSHES, 0) });
      await server.finish();
      const file = join(folder, "load.parquet");
      await cfile(["kudu", "export", path, "--table", "load", "-o", file]);
      const runs = scale < 0.5 ? 1 : RUNS;
      const all: BenchRow[] = [];
      const goals: BenchGoal[] = [];
      for (const [what, other] of [
        ["of Kudu", path],
        ["of Kudu, the other of Parquet", file],
      ] as const) {
        const { read, compared } = await takeTurns(runs, {
          read: () => reportOf(["scan", path, other], 0),
          compared: () => reportOf(["compare", path, other], 0),
        });
        const [reading, comparing] = [timesOf(read), timesOf(compared)];
        const both = read[0]?.rows ?? Number.NaN;
        all.push(
          rowOf(`${PEER}, one ${what}`, both, reading, 1),
          rowOf(`cfile: compared, one ${what}`, both, comparing, medianRatio(reading, comparing)),
        );
        goals.push(
          atMost(`time, one ${what}, times reading`, GOAL, medianRatio(comparing, reading)),
          atMost(`resident memory, one ${what}, MiB`, GOAL_MEMORY, peakOf(compared)),
        );
      }
      const { found, memory } = await findings(scale);
      return {
        unit: "M rows/s",
        peer: PEER,
        rows: [...all, ...found],
        goals: [...goals, atMost("resident memory of all findings, MiB", GOAL_MEMORY, memory)],
        notes: [
          "Generated tables have six columns; the batches of one are in reverse order. If a difference is found, both tables are read four times.",
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
