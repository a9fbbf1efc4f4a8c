/**
 * The disks of a cluster: the catalog and the choice of replicas for 2,000 tablets, in a new process; the export of a table from four
 * servers and from one.
 */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadNumber, syntheticCluster } from "@cfile-tools/kudu-synthetic";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import type { ClusterReport } from "../../children/cluster-child.js";
import { cfile, sumOfParts } from "../../machine/split-processes.js";
import { WrongAnswer } from "../../measure.js";
import { median, medianRatio, takeTurns, timeOf, timesOf } from "../../turns.js";

const SERVERS = 4;
const TABLES = 50;
const TABLETS_PER_TABLE = 40;
/** Rows of each tablet to export. */
const EXPORTED_ROWS = 2_000_000;
const EXPORTED_TABLETS = 4;
const RUNS = 5;
const READING = "node:fs: the same files, read once";
const ONE = "export from one server";
const FOUR = `export from ${SERVERS} servers`;

const child = fileURLToPath(new URL("../../children/cluster-child.js", import.meta.url));

interface Measured {
  readonly rows: readonly BenchRow[];
  readonly goals: readonly BenchGoal[];
}

async function inChild(task: string, path: string): Promise<ClusterReport> {
  const { stdout } = await promisify(execFile)(process.execPath, [child, task, path]);
  return JSON.parse(stdout) as ClusterReport;
}

async function choice(path: string, scale: number, runs: number): Promise<Measured> {
  const tables = Math.ceil(TABLES * scale);
  const { liveRows: _, ...expected } = await syntheticCluster(path, {
    servers: SERVERS,
    tables,
    tabletsPerTable: TABLETS_PER_TABLE,
    writes: 40,
    rowsPerWrite: 8,
    rows: 100,
  });
  const { chosen, read } = await takeTurns(runs, {
    chosen: async () => {
      const report = await inChild("choose", path);
      if (JSON.stringify(report.found, Object.keys(expected)) !== JSON.stringify(expected)) {
        throw new WrongAnswer(`found ${JSON.stringify(report.found)}, expected ${JSON.stringify(expected)}`);
      }
      return report;
    },
    read: () => inChild("read", path),
  });
  const theirs = timesOf(read);
  const memory = Math.max(...chosen.map(({ maxRssMiB }) => maxRssMiB));
  const row = (contender: string, reports: readonly ClusterReport[]): BenchRow => {
    const milliseconds = median(timesOf(reports));
    const ratio = medianRatio(theirs, timesOf(reports));
    return { contender, milliseconds, rate: expected.tablets / milliseconds, ratio, peer: READING };
  };
  const what = `${expected.tablets} tablets, ${expected.replicas} replicas, ${SERVERS} servers`;
  return {
    rows: [
      row(`cfile: catalog and replicas of ${what}: ${Math.round(memory)} MiB resident`, chosen),
      row(`${READING} (${Math.round((read[0]?.bytes ?? Number.NaN) / 1e6)} MB)`, read),
    ],
    goals: [
      atLeast(
        `catalog and choice of replicas, ${what}, at the rate of reading the files, times`,
        0.065,
        medianRatio(theirs, timesOf(chosen)),
      ),
      atMost("peak resident memory for that, MiB", 300, memory),
    ],
  };
}

async function exports(folder: string, scale: number, runs: number): Promise<Measured> {
  const options = {
    tables: 1,
    tabletsPerTable: EXPORTED_TABLETS,
    writes: 20,
    rowsPerWrite: 10,
    rows: Math.ceil(EXPORTED_ROWS * scale),
  };
  const four = join(folder, "four");
  const one = join(folder, "one");
  const { liveRows } = await syntheticCluster(four, { servers: SERVERS, ...options });
  await syntheticCluster(one, { servers: 1, ...options });
  const parts = join(folder, "parts");
  const expected = [liveRows, Math.imul(sumOfNumbers(liveRows / EXPORTED_TABLETS), EXPORTED_TABLETS)];
  const exported = (contender: string, path: string) => async (): Promise<number> => {
    await mkdir(parts, { recursive: true });
    const target = join(parts, "all.parquet");
    // Several servers are always read with their logs.
    const args = ["kudu", "export", path, "--table", "table 0", "--with-log", "-o", target];
    const milliseconds = await timeOf(() => cfile(args));
    const found = await sumOfParts(parts, "int_val");
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new WrongAnswer(`${contender}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
    return milliseconds;
  };
  const times = await takeTurns(runs, {
    one: exported(ONE, join(one, "ts0")),
    four: exported(FOUR, four),
  });
  const row = (contender: string, own: readonly number[]): BenchRow => {
    const milliseconds = median(own);
    return {
      contender,
      milliseconds,
      fastest: Math.min(...own),
      rate: liveRows / milliseconds / 1000,
      unit: "M rows/s",
      ratio: medianRatio(times.one, own),
      peer: ONE,
    };
  };
  return {
    rows: [row(ONE, times.one), row(FOUR, times.four)],
    goals: [
      atLeast("export from four servers at the rate of one, times", 0.9, medianRatio(times.one, times.four)),
    ],
  };
}

function sumOfNumbers(rows: number): number {
  let sum = 0;
  for (let key = 0; key < rows; key++) {
    sum = (sum + loadNumber(key)) | 0;
  }
  return sum;
}

export const kuduCluster: BenchCase = {
  name: "kudu-cluster",
  title: "The disks of a Kudu cluster: replicas of 2,000 tablets, and a table from four servers",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-cluster-"));
    const runs = scale < 0.5 ? 1 : RUNS;
    try {
      const chosen = await choice(join(folder, "many"), scale, runs);
      await rm(join(folder, "many"), { recursive: true });
      const exported = await exports(folder, scale, runs);
      return {
        unit: "thousand tablets/s",
        peer: READING,
        rows: [...chosen.rows, ...exported.rows],
        goals: [...chosen.goals, ...exported.goals],
        notes: [
          "Each run is a new process. Each replica has a row set of five blocks and a log of 41 operations, compressed as servers do; one of 15 is behind.",
          "Exports are timed from the start of the command to its end. Four servers have three replicas of each tablet, one server has one.",
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
