/**
 * Tables in splits, run by one process and by two, compared with one process that exports the whole table;
 * and planning splits.
 */
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadNumber, loadRowSets, loadSchema, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { createCFile } from "cfile";
import { atLeast, atMost, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import { cfile, node, runWorkers, splitLines, sumOfParts } from "../machine/split-processes.js";
import { WrongAnswer } from "../measure.js";
import { median, medianRatio, takeTurns, timeOf } from "../turns.js";

const PEER = "export in one process";
const WANTED = 1.7;
const RUNS = 5;
/** Maximum time of planning, times the start of Node. */
const MAX_PLANNING = 30;
const BLOCKS = 100_000;
/** 512 bytes of INT32. */
const ROWS_IN_BLOCK = 128;
const PART_ROWS = 2_000_000;
/** Enough for a second worker to pay off, because each worker first starts and compiles its code. */
const PARTS = 600;
const TABLET_ROWS = 2_000_000;
const TABLETS = 6;
/** About one in this many scanned rows is written. */
const RARE = 1000;
const SPLITS = 24;

/** A task in three variants: one process for everything, splits with one worker, and splits with two workers. */
interface Job {
  readonly name: string;
  readonly contenders: readonly [whole: string, one: string, two: string];
  /** Expected content of the files: rows, and the sum of a column. */
  readonly expected: readonly [rows: number, sum: number];
  readonly column: string;
  /** Arguments of `cfile splits` for this many splits. */
  readonly args: (splits: number) => readonly string[];
  /** Writes everything into a folder, in one process. */
  readonly whole: (parts: string) => Promise<void>;
}

const numberOf = (row: number): number => Math.imul(row, 7919) | 0;
const isRare = (number: number): boolean => number < -(2 ** 31) + 2 ** 32 / RARE;

/**
 * A dataset that a scan reads completely but mostly filters out: one part of three columns, repeated many
 * times.
 */
async function scanJob(folder: string, scale: number): Promise<Job> {
  const rows = Math.ceil(PART_ROWS * Math.sqrt(scale));
  const parts = Math.ceil(PARTS * Math.sqrt(scale));
  await mkdir(folder);
  const number = await createCFile(join(folder, "n.cfile"), { type: "INT32", sync: false });
  const double = await createCFile(join(folder, "d.cfile"), {
    type: "DOUBLE",
    compression: "ZLIB",
    sync: false,
  });
  const word = await createCFile(join(folder, "w.cfile"), {
    type: "STRING",
    encoding: "PREFIX_ENCODING",
    sync: false,
  });
  const numbers = Int32Array.from({ length: rows }, (_, row) => numberOf(row));
  await number.append(numbers);
  await double.append(Float64Array.from({ length: rows }, (_, row) => (row % 5000) * 0.25));
  const words = Array.from({ length: 1000 }, (_, i) => `word ${i}`);
  for (let row = 0; row < rows; row += words.length) {
    await word.append(words.slice(0, Math.min(words.length, rows - row)));
  }
  await Promise.all([number.finish(), double.finish(), word.finish()]);
  const manifest = join(folder, "dataset.json");
  const columns = { n: "n.cfile", d: "d.cfile", w: "w.cfile" };
  await writeFile(
    manifest,
    JSON.stringify({ version: 1, parts: Array.from({ length: parts }, () => ({ columns })) }),
  );
  const chosen = numbers.filter(isRare);
  const sum = chosen.reduce((all, value) => (all + value) | 0, 0);
  const where = [
    "--where",
    `n < ${Math.ceil(-(2 ** 31) + 2 ** 32 / RARE)}`,
    "--where",
    "w prefix word",
    "--where",
    "d >= 0",
  ];
  const bytes = (await Promise.all(Object.values(columns).map((file) => stat(join(folder, file))))).reduce(
    (all, { size }) => all + size * parts,
    0,
  );
  const args = (splits: number): readonly string[] => [
    manifest,
    "--target",
    `${Math.max(1, Math.floor(bytes / splits))}`,
    ...where,
  ];
  const lines = await splitLines(join(folder, "whole.ndjson"), [manifest, "--target", "1000000G", ...where]);
  if (lines.length !== 1) {
    throw new WrongAnswer(`${lines.length} splits, expected one`);
  }
  const whole = (target: string): Promise<void> => runWorkers(lines, 1, target, chosen.length * parts);
  return {
    name: "a scan of CFiles",
    contenders: ["scan in one process", "scan: one worker", "scan: two workers"],
    expected: [chosen.length * parts, Math.imul(sum, parts)],
    column: "n",
    args,
    whole,
  };
}

/** A table of a server, with every row written. */
async function exportJob(folder: string, scale: number): Promise<Job> {
  const rows = Math.ceil(TABLET_ROWS * scale);
  const server = await syntheticServer(folder, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
  for (let bucket = 0; bucket < TABLETS; bucket++) {
    const rowSets = loadRowSets(rows, 4, 0);
    await server.add({ table: "load", schema: loadSchema, bucket, buckets: TABLETS, rowSets });
  }
  await server.finish();
  let sum = 0;
  for (let key = 0; key < rows; key++) {
    sum = (sum + loadNumber(key)) | 0;
  }
  return {
    name: "an export of a Kudu table",
    contenders: [PEER, "run-split: one worker", "run-split: two workers"],
    expected: [rows * TABLETS, Math.imul(sum, TABLETS)],
    column: "int_val",
    args: (splits) => [folder, "--table", "load", "--target", `${Math.ceil((14 * rows * TABLETS) / splits)}`],
    whole: async (parts) => {
      await mkdir(parts, { recursive: true });
      await cfile(["kudu", "export", folder, "--table", "load", "-j", "1", "-o", join(parts, "all.parquet")]);
    },
  };
}

async function measureJob(
  { name, contenders: [wholly, byOne, byTwo], expected, column, args, whole }: Job,
  folder: string,
  runs: number,
): Promise<{ readonly rows: BenchRow[]; readonly goal: BenchGoal; readonly note: string }> {
  const parts = join(folder, "parts");
  const lines = await splitLines(join(folder, "splits.ndjson"), args(SPLITS));
  const bytes = lines.reduce((sum, line) => sum + (JSON.parse(line) as { bytes: number }).bytes, 0);
  const checked = (contender: string, work: () => Promise<void>) => async (): Promise<number> => {
    const milliseconds = await timeOf(work);
    const found = await sumOfParts(parts, column);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new WrongAnswer(`${contender}: ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    }
    return milliseconds;
  };
  const times = await takeTurns(runs, {
    alone: checked(wholly, () => whole(parts)),
    one: checked(byOne, () => runWorkers(lines, 1, parts, expected[0])),
    two: checked(byTwo, () => runWorkers(lines, 2, parts, expected[0])),
  });
  const row = (contender: string, own: readonly number[]): BenchRow => ({
    contender,
    milliseconds: median(own),
    fastest: Math.min(...own),
    rate: bytes / median(own) / 1000,
    ratio: medianRatio(times.alone, own),
  });
  const cost = (median(times.one) - median(times.alone)) / lines.length;
  const gain = medianRatio(times.alone, times.two);
  return {
    rows: [row(wholly, times.alone), row(byOne, times.one), row(byTwo, times.two)],
    goal: atLeast(`${name}: two workers at the rate of one process, times`, WANTED, gain),
    note: `${name}: ${lines.length} splits; a split costs ${cost.toFixed(1)} ms more than its part of the whole.`,
  };
}

/** Splits a column with many blocks. */
async function measurePlanning(folder: string, scale: number): Promise<{ row: BenchRow; goal: BenchGoal }> {
  const blocks = Math.ceil(BLOCKS * scale);
  const path = join(folder, "blocks.cfile");
  const writer = await createCFile(path, {
    type: "INT32",
    encoding: "PLAIN_ENCODING",
    blockSize: 512,
    batchRows: ROWS_IN_BLOCK,
    sync: false,
  });
  await writer.append(Int32Array.from({ length: blocks * ROWS_IN_BLOCK }, (_, row) => row));
  const { dataBlocks } = await writer.finish();
  if (dataBlocks !== blocks) {
    throw new WrongAnswer(`${dataBlocks} data blocks, expected ${blocks}`);
  }
  let lines: readonly string[] = [];
  const started = await timeOf(() => node(["-e", "0"]));
  const milliseconds = await timeOf(async () => {
    lines = await splitLines(join(folder, "blocks.ndjson"), [path, "--target", "64K"]);
  });
  const pieces = lines.map((line) => JSON.parse(line) as { rows: number; bytes: number });
  const rows = pieces.reduce((sum, split) => sum + split.rows, 0);
  const isBalanced = pieces.every(({ bytes }) => bytes >= 32 * 1024 && bytes <= 128 * 1024);
  if (rows !== blocks * ROWS_IN_BLOCK || (!isBalanced && pieces.length > 1)) {
    throw new WrongAnswer(`splits of ${rows} rows, ${isBalanced ? "" : "not "}balanced`);
  }
  return {
    row: {
      contender: `plan: ${blocks.toLocaleString("en")} blocks`,
      milliseconds,
      rate: blocks / milliseconds,
      unit: "thousand blocks/s",
      ratio: undefined,
    },
    goal: atMost(
      `splitting ${blocks} blocks into ${lines.length} splits, times node -e 0`,
      MAX_PLANNING,
      milliseconds / started,
    ),
  };
}

/** Runs one split that contains almost nothing. */
async function startOfWorker(folder: string, runs: number): Promise<BenchRow> {
  const path = join(folder, "one.cfile");
  const writer = await createCFile(path, { type: "INT32", sync: false });
  await writer.append([1]);
  await writer.finish();
  const lines = await splitLines(join(folder, "one.ndjson"), [path]);
  const { worker } = await takeTurns(runs, {
    worker: () => timeOf(() => runWorkers(lines, 1, join(folder, "one"), 1)),
  });
  const milliseconds = median(worker);
  return {
    contender: "start of a worker",
    milliseconds,
    rate: 1000 / milliseconds,
    unit: "workers/s",
    ratio: undefined,
  };
}

export const splits: BenchCase = {
  name: "splits",
  title: "Tables in splits, run by processes of the command",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-splits-"));
    const runs = scale < 0.5 ? 1 : RUNS;
    try {
      const scan = await measureJob(await scanJob(join(folder, "scan"), scale), folder, runs);
      const exported = await measureJob(await exportJob(join(folder, "server"), scale), folder, runs);
      const planning = await measurePlanning(folder, scale);
      const start = await startOfWorker(folder, runs);
      return {
        unit: "MB/s",
        peer: PEER,
        rows: [...exported.rows, ...scan.rows, start, planning.row],
        goals: [scan.goal, planning.goal],
        notes: [
          "Times are for the processes, from start to exit, with files synced to the disk. Rates count the stored bytes that are read.",
          `${exported.note} ${scan.note}`,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
