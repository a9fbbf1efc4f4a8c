/**
 * The directories of a server, without the server: a tablet of 3 million rows, and 10,000 blocks. Each task
 * runs in a new process.
 */
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  CHANGED_NUMBER,
  loadNumber,
  loadRowSets,
  loadSchema,
  loneReplica,
  syntheticServer,
} from "@cfile-tools/kudu-synthetic";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../../bench-case.js";
import type { KuduDirReport } from "../../children/kudu-dir-child.js";
import { bundledProgram } from "../../machine/bundled-program.js";
import { WrongAnswer } from "../../measure.js";

const ROWS = 3_000_000;
const FLUSHES = 4;
/** The tablet to check is as large as a tablet of a server, with row sets as large as Kudu writes. */
const CHECKED_ROWS = 16 * ROWS;
const CHECKED_FLUSHES = 64;
const CHANGED = 0.01;
/** Tablets of six row sets with six blocks each. */
const TABLETS = 300;
const RUNS = 5;
const isLinux = process.platform === "linux";
const HYPARQUET = "hyparquet";
const PEER = `${HYPARQUET}: the same rows from Parquet`;
const CHECKSUMS = "CRC-32C of all files, in one thread";
const GOAL_SCAN = 4;
const GOAL_CHECK = 0.25;
/** Maximum time, times the start of Node. */
const MAX_OPENING = 12;

const child = fileURLToPath(new URL("../../children/kudu-dir-child.js", import.meta.url));

/** A task, the number of runs, and the expected result of each run. */
interface Runs {
  readonly runs: number;
  readonly expected: Partial<KuduDirReport>;
  /** Default: the modules as installed. */
  readonly program?: string;
  /** Whether all threads of the process share one core (`taskset` on Linux). */
  readonly onOneCore?: boolean;
}

/** Runs a program on the last core. */
const ONE_CORE = ["taskset", "-c", String(cpus().length - 1)];

/** The results, the medians of all times, and the peak memory. */
async function median(
  { runs, expected, program = child, onOneCore = false }: Runs,
  ...args: string[]
): Promise<KuduDirReport> {
  const reports: KuduDirReport[] = [];
  const [command = "", ...before] = [...(onOneCore ? ONE_CORE : []), process.execPath];
  for (let run = 0; run < runs; run++) {
    const { stdout } = await promisify(execFile)(command, [...before, program, ...args]);
    const report = JSON.parse(stdout) as KuduDirReport;
    for (const [field, value] of Object.entries(expected)) {
      if (report[field as keyof KuduDirReport] !== value) {
        throw new WrongAnswer(
          `${args[0]}: ${field} is ${report[field as keyof KuduDirReport]}, not ${value}`,
        );
      }
    }
    reports.push(report);
  }
  const middle = (field: keyof KuduDirReport): number => {
    const values = reports.map((report) => report[field]).sort((left, right) => left - right);
    return values[Math.floor(runs / 2)] as number;
  };
  return {
    ...(reports[0] as KuduDirReport),
    milliseconds: middle("milliseconds"),
    cpuMilliseconds: middle("cpuMilliseconds"),
    loadMilliseconds: middle("loadMilliseconds"),
    firstMilliseconds: middle("firstMilliseconds"),
    maxRssMiB: Math.max(...reports.map(({ maxRssMiB }) => maxRssMiB)),
  };
}

async function loadServer(path: string, rows: number, changed: number, flushes = FLUSHES): Promise<void> {
  const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 25 });
  const rowSets = loadRowSets(rows, flushes, changed);
  await server.add({ table: "load", schema: loadSchema, rowSets, replica: loneReplica });
  await server.finish();
}

async function manyBlocks(path: string, blockManager: "log" | "file", tablets: number): Promise<number> {
  const server = await syntheticServer(path, { disks: 3, blockManager, containerBytes: 1 << 20 });
  for (let tablet = 0; tablet < tablets; tablet++) {
    const rowSets = loadRowSets(60, 6, 0.1);
    await server.add({
      table: `t${tablet >> 2}`,
      schema: loadSchema,
      bucket: tablet & 3,
      buckets: 4,
      rowSets,
    });
  }
  return server.finish();
}

function sumOf(rows: number, changed: number): number {
  let sum = 0;
  for (let key = 0; key < rows; key++) {
    sum = (sum + loadNumber(key)) | 0;
  }
  // The flushes determine which rows change.
  let shift = 0;
  for (const rowSet of changed === 0 ? [] : loadRowSets(rows, FLUSHES, changed)) {
    const numbers: number[] = [];
    for (const [, column] of rowSet.batches) {
      numbers.push(...(column === undefined ? [] : (column.toArray() as number[])));
    }
    for (const row of rowSet.updates?.[0]?.rows ?? []) {
      shift = (shift + CHANGED_NUMBER - (numbers[row] ?? 0)) | 0;
    }
  }
  return (sum + shift) | 0;
}

/** Rows per second of elapsed time, and of processor time of all threads. */
const rateOf = (rows: number, { milliseconds }: KuduDirReport): number => rows / milliseconds / 1000;
const processorRate = (rows: number, { cpuMilliseconds }: KuduDirReport): number =>
  rows / cpuMilliseconds / 1000;

const byteRate = ({ bytes, milliseconds }: KuduDirReport): number => bytes / milliseconds / 1000;

/** Servers with many small tablets: finds and opens their blocks. */
async function manyBlocksRows(
  folder: string,
  tablets: number,
  runs: number,
): Promise<{ readonly rows: BenchRow[]; readonly goals: BenchGoal[] }> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  const node = await startOfNode(runs);
  for (const blockManager of ["log", "file"] as const) {
    const path = join(folder, blockManager);
    const count = await manyBlocks(path, blockManager, tablets);
    const where = `${blockManager} block manager`;
    for (const [task, done] of [
      ["find", "found"],
      ["open", "found, opened, and their footers checked"],
    ] as const) {
      const report = await median({ runs, expected: { count } }, task, path);
      rows.push({
        contender: `cfile: ${count} blocks ${done}, ${where}`,
        milliseconds: report.milliseconds,
        rate: count / report.milliseconds,
        unit: "thousand blocks/s",
        ratio: undefined,
      });
      if (task === "find") {
        goals.push(
          atMost(
            `opening ${count} blocks, ${where}, times node -e 0`,
            MAX_OPENING,
            report.milliseconds / node,
          ),
          atMost(`resident memory for that, ${where}, MiB`, 200, report.maxRssMiB),
        );
      }
    }
  }
  return { rows, goals };
}

async function measureTasks(folder: string, scale: number, runs: number) {
  const rows = Math.ceil(ROWS * scale);
  const checkedRows = Math.ceil(CHECKED_ROWS * scale);
  const [plain, changed, large] = [join(folder, "plain"), join(folder, "changed"), join(folder, "large")];
  await loadServer(plain, rows, 0);
  await loadServer(changed, rows, CHANGED);
  await loadServer(large, checkedRows, 0, CHECKED_FLUSHES);
  const target = join(folder, "out.parquet");
  const all = { runs, expected: { count: rows, sum: sumOf(rows, 0) } };
  const program = await bundledProgram(child, join(folder, "program"), {
    external: ["@cfile/cli"],
    splitting: true,
  });
  const changes = { runs, expected: { count: rows, sum: sumOf(rows, CHANGED) } };
  const checked = { runs, expected: { count: checkedRows } };
  return {
    rows,
    scan: await median(all, "scan", plain),
    bundled: await median({ ...all, program }, "scan", plain),
    pinned: isLinux ? await median({ ...all, onOneCore: true }, "scan", plain) : undefined,
    inOrder: await median(all, "scan-in-order", plain),
    withChanges: await median(changes, "scan", changed),
    parquet: await median({ runs, expected: { count: rows } }, "parquet", plain, target),
    peer: await median(all, "hyparquet", target),
    check: await median(checked, "check", large),
    checkInThreads: await median(checked, "check-in-threads", large),
    checksums: await median({ runs, expected: {} }, "checksums", large),
    node: await startOfNode(runs),
  };
}

/** Milliseconds of a process of Node that does nothing; the fastest of several. */
async function startOfNode(runs: number): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const begun = performance.now();
    await promisify(execFile)(process.execPath, ["-e", "0"]);
    fastest = Math.min(fastest, performance.now() - begun);
  }
  return fastest;
}

type Measured = Awaited<ReturnType<typeof measureTasks>>;

function rowsOf({ rows, peer, checksums, ...reports }: Measured): BenchRow[] {
  const row = (contender: string, report: KuduDirReport): BenchRow => ({
    contender,
    milliseconds: report.milliseconds,
    rate: rateOf(rows, report),
    ratio: rateOf(rows, report) / rateOf(rows, peer),
  });
  const both = (contender: string, report: KuduDirReport): BenchRow[] => [
    row(contender, report),
    {
      contender: `${contender}, in processor time`,
      milliseconds: report.cpuMilliseconds,
      rate: processorRate(rows, report),
      ratio: processorRate(rows, report) / processorRate(rows, peer),
    },
  ];
  const stored = (contender: string, report: KuduDirReport): BenchRow => ({
    contender,
    milliseconds: report.milliseconds,
    rate: byteRate(report),
    unit: "MB/s",
    ratio: byteRate(report) / byteRate(checksums),
    peer: CHECKSUMS,
  });
  const { pinned } = reports;
  return [
    ...both("cfile: batches", reports.scan),
    ...(pinned === undefined ? [] : [row("cfile: batches, all threads on one core", pinned)]),
    ...both(PEER, peer),
    ...both("cfile: batches, a bundled program", reports.bundled),
    ...both("cfile: batches in key order", reports.inOrder),
    ...both("cfile: batches, 1 % of rows changed", reports.withChanges),
    ...both("cfile: export to Parquet", reports.parquet),
    stored(CHECKSUMS, checksums),
    stored("cfile: check, one thread", reports.check),
    stored("cfile: check, one thread per core", reports.checkInThreads),
  ];
}

function goalsOf(measured: Measured): BenchGoal[] {
  const { rows, scan, bundled, pinned, peer, withChanges, parquet, check, checkInThreads, checksums, node } =
    measured;
  return [
    pinned === undefined
      ? atLeast(
          `batches from a cold start, in processor time, times ${HYPARQUET}`,
          GOAL_SCAN,
          processorRate(rows, scan) / processorRate(rows, peer),
        )
      : atLeast(
          `batches from a cold start on one core, times ${HYPARQUET}`,
          GOAL_SCAN,
          rateOf(rows, pinned) / rateOf(rows, peer),
        ),
    atLeast(`export to Parquet, times ${HYPARQUET}`, 1, rateOf(rows, parquet) / rateOf(rows, peer)),
    atMost("first row from the start of the process, times node -e 0", 6, scan.firstMilliseconds / node),
    atMost("the same with a bundled program, times node -e 0", 5, bundled.firstMilliseconds / node),
    atMost("resident memory of a scan, MiB", 256, scan.maxRssMiB),
    atMost("resident memory of a Parquet export, MiB", 256, parquet.maxRssMiB),
    atMost(
      "1 % of rows changed, times the processor time of the scan without changes",
      1.5,
      withChanges.cpuMilliseconds / scan.cpuMilliseconds,
    ),
    atLeast(
      `check of ${Math.round(check.bytes / 1e6)} MB, at the rate of checksums of all files, times`,
      GOAL_CHECK,
      byteRate(checkInThreads) / byteRate(checksums),
    ),
  ];
}

export const kuduDir: BenchCase = {
  name: "kudu-dir",
  title: "Directories of a Kudu server without the server: a tablet of 3 million rows, and 10,000 blocks",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-kudu-"));
    const runs = scale < 0.5 ? 1 : RUNS;
    try {
      const measured = await measureTasks(folder, scale, runs);
      const blocks = await manyBlocksRows(folder, Math.ceil(TABLETS * scale), runs);
      const { scan, bundled } = measured;
      return {
        unit: "M rows/s",
        peer: PEER,
        rows: [...rowsOf(measured), ...blocks.rows],
        goals: [...goalsOf(measured), ...blocks.goals],
        notes: [
          "Each task runs in a new process, without compiled code. Times start when its modules are loaded, except for the first row, which is timed from the start of the process.",
          `Modules of a scan are loaded after ${scan.loadMilliseconds.toFixed(0)} ms, those of a program in one file after ${bundled.loadMilliseconds.toFixed(0)} ms.`,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
