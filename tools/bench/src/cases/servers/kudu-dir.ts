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
import { median, medianRatio, takeTurns, timeOf } from "../../turns.js";

const ROWS = 3_000_000;
const FLUSHES = 4;
/** The tablet to check is as large as a tablet of a server, with row sets as large as Kudu writes. */
const CHECKED_ROWS = 16 * ROWS;
const CHECKED_FLUSHES = 64;
const CHANGED = 0.01;
/** Tablets of six row sets with six blocks each. */
const TABLETS = 300;
const TURNS = 7;
const isLinux = process.platform === "linux";
const HYPARQUET = "hyparquet";
const PEER = `${HYPARQUET}: the same rows from Parquet`;
const CHECKSUMS = "@node-rs/crc32 of all files, in one thread";
const GOAL_SCAN = 4;
const GOAL_CHECK = 0.25;
/** Maximum time, times the start of Node. */
const MAX_OPENING = 12;

const child = fileURLToPath(new URL("../../children/kudu-dir-child.js", import.meta.url));

/** A task of the child process, and the expected result. */
interface Task {
  readonly args: readonly string[];
  readonly expected?: Partial<KuduDirReport>;
  /** Default: the modules as installed. */
  readonly program?: string;
  /** Whether all threads of the process share one core (`taskset` on Linux). */
  readonly onOneCore?: boolean;
}

/** Reports of a task by turn. */
type Reports = readonly KuduDirReport[];
type Field = Exclude<keyof KuduDirReport, "count" | "sum">;

/** Runs a program on the last core. */
const ONE_CORE = ["taskset", "-c", String(cpus().length - 1)];

/** Runs a task in a process of its own, and checks its report. */
function task({ args, expected = {}, program = child, onOneCore = false }: Task) {
  const [command = "", ...before] = [...(onOneCore ? ONE_CORE : []), process.execPath];
  return async (): Promise<KuduDirReport> => {
    const { stdout } = await promisify(execFile)(command, [...before, program, ...args]);
    const report = JSON.parse(stdout) as KuduDirReport;
    for (const [field, value] of Object.entries(expected)) {
      const found = report[field as keyof KuduDirReport];
      if (found !== value) {
        throw new WrongAnswer(`${args[0]}: ${field} is ${found}, not ${value}`);
      }
    }
    return report;
  };
}

/** An empty program of Node; only its time counts. */
async function emptyProgram(): Promise<KuduDirReport> {
  const milliseconds = await timeOf(() => promisify(execFile)(process.execPath, ["-e", "0"]));
  const [firstMilliseconds, cpuMilliseconds, loadMilliseconds] = [milliseconds, 0, 0];
  return {
    count: 0,
    sum: 0,
    bytes: 0,
    milliseconds,
    firstMilliseconds,
    cpuMilliseconds,
    loadMilliseconds,
    maxRssMiB: 0,
  };
}

const by = (reports: Reports, field: Field): number[] => reports.map((report) => report[field]);
const middle = (reports: Reports, field: Field = "milliseconds"): number => median(by(reports, field));
const peakOf = (reports: Reports): number => Math.max(...by(reports, "maxRssMiB"));
/** The median, over turns, of the peer's time divided by ours. */
const gain = (peer: Reports, ours: Reports, field: Field = "milliseconds"): number =>
  medianRatio(by(peer, field), by(ours, field));

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

/** Servers with many small tablets: finds and opens their blocks. */
async function manyBlocksRows(
  folder: string,
  tablets: number,
  turns: number,
): Promise<{ readonly rows: BenchRow[]; readonly goals: BenchGoal[] }> {
  const rows: BenchRow[] = [];
  const goals: BenchGoal[] = [];
  for (const blockManager of ["log", "file"] as const) {
    const path = join(folder, blockManager);
    const count = await manyBlocks(path, blockManager, tablets);
    const where = `${blockManager} block manager`;
    const { found, opened, empty } = await takeTurns(turns, {
      found: task({ args: ["find", path], expected: { count } }),
      opened: task({ args: ["open", path], expected: { count } }),
      empty: emptyProgram,
    });
    const row = (done: string, reports: Reports): BenchRow => ({
      contender: `cfile: ${count} blocks ${done}, ${where}`,
      milliseconds: middle(reports),
      rate: count / middle(reports),
      unit: "thousand blocks/s",
      ratio: undefined,
    });
    rows.push(row("found", found), row("found, opened, and their footers checked", opened));
    goals.push(
      atMost(`opening ${count} blocks, ${where}, times node -e 0`, MAX_OPENING, gain(found, empty)),
      atMost(`resident memory for that, ${where}, MiB`, 200, peakOf(found)),
    );
  }
  return { rows, goals };
}

async function measureTasks(folder: string, scale: number, turns: number) {
  const rows = Math.ceil(ROWS * scale);
  const checkedRows = Math.ceil(CHECKED_ROWS * scale);
  const [plain, changed, large] = [join(folder, "plain"), join(folder, "changed"), join(folder, "large")];
  await loadServer(plain, rows, 0);
  await loadServer(changed, rows, CHANGED);
  await loadServer(large, checkedRows, 0, CHECKED_FLUSHES);
  const target = join(folder, "out.parquet");
  const expected = { count: rows, sum: sumOf(rows, 0) };
  const program = await bundledProgram(child, join(folder, "program"), {
    external: ["@cfile/cli", "@node-rs/crc32"],
    splitting: true,
  });
  const checked = { count: checkedRows };
  const scanned = { args: ["scan", plain], expected };
  const reports = await takeTurns(turns, {
    scan: task(scanned),
    withChanges: task({ args: ["scan", changed], expected: { count: rows, sum: sumOf(rows, CHANGED) } }),
    bundled: task({ ...scanned, program }),
    pinned: task({ ...scanned, onOneCore: isLinux }),
    inOrder: task({ args: ["scan-in-order", plain], expected }),
    parquet: task({ args: ["parquet", plain, target], expected: { count: rows } }),
    peer: task({ args: ["hyparquet", target], expected }),
    check: task({ args: ["check", large], expected: checked }),
    checkInThreads: task({ args: ["check-in-threads", large], expected: checked }),
    checksums: task({ args: ["checksums", large] }),
    empty: emptyProgram,
  });
  return { rows, ...reports };
}

type Measured = Awaited<ReturnType<typeof measureTasks>>;

function rowsOf({ rows, peer, checksums, ...reports }: Measured): BenchRow[] {
  const row = (contender: string, own: Reports, field: Field = "milliseconds"): BenchRow => ({
    contender,
    milliseconds: middle(own, field),
    rate: rows / middle(own, field) / 1000,
    ratio: gain(peer, own, field),
  });
  const both = (contender: string, own: Reports): BenchRow[] => [
    row(contender, own),
    row(`${contender}, in processor time`, own, "cpuMilliseconds"),
  ];
  const stored = (contender: string, own: Reports): BenchRow => ({
    contender,
    milliseconds: middle(own),
    rate: middle(own, "bytes") / middle(own) / 1000,
    unit: "MB/s",
    ratio: gain(checksums, own),
    peer: CHECKSUMS,
  });
  return [
    ...both("cfile: batches", reports.scan),
    ...(isLinux ? [row("cfile: batches, all threads on one core", reports.pinned)] : []),
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
  const { scan, bundled, pinned, peer, withChanges, parquet, checkInThreads, checksums, empty } = measured;
  const checkedMB = Math.round(middle(checkInThreads, "bytes") / 1e6);
  return [
    isLinux
      ? atLeast(`batches from a cold start on one core, times ${HYPARQUET}`, GOAL_SCAN, gain(peer, pinned))
      : atLeast(
          `batches from a cold start, in processor time, times ${HYPARQUET}`,
          GOAL_SCAN,
          gain(peer, scan, "cpuMilliseconds"),
        ),
    atLeast(`export to Parquet, times ${HYPARQUET}`, 1, gain(peer, parquet)),
    atMost(
      "first row from the start of the process, times node -e 0",
      6,
      gain(scan, empty, "firstMilliseconds"),
    ),
    atMost("the same with a bundled program, times node -e 0", 5, gain(bundled, empty, "firstMilliseconds")),
    atMost("resident memory of a scan, MiB", 256, peakOf(scan)),
    atMost("resident memory of a Parquet export, MiB", 256, peakOf(parquet)),
    atMost(
      "1 % of rows changed, times the processor time of the scan without changes",
      1.5,
      gain(withChanges, scan, "cpuMilliseconds"),
    ),
    atLeast(
      `check of ${checkedMB} MB, at the rate of checksums of all files, times`,
      GOAL_CHECK,
      gain(checksums, checkInThreads),
    ),
  ];
}

export const kuduDir: BenchCase = {
  name: "kudu-dir",
  title: "Directories of a Kudu server without the server: a tablet of 3 million rows, and 10,000 blocks",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-kudu-"));
    const turns = scale < 0.5 ? 1 : TURNS;
    try {
      const measured = await measureTasks(folder, scale, turns);
      const blocks = await manyBlocksRows(folder, Math.ceil(TABLETS * scale), turns);
      const { scan, bundled } = measured;
      return {
        unit: "M rows/s",
        peer: PEER,
        rows: [...rowsOf(measured), ...blocks.rows],
        goals: [...goalsOf(measured), ...blocks.goals],
        notes: [
          "Each task runs in a new process, without compiled code, and tasks take turns. Ratios are medians of those within a turn. Times start when its modules are loaded, except for the first row, which is timed from the start of the process.",
          `Modules of a scan are loaded after ${middle(scan, "loadMilliseconds").toFixed(0)} ms, those of a program in one file after ${middle(bundled, "loadMilliseconds").toFixed(0)} ms.`,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
