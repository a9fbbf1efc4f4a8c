/**
 * The speedup by a second worker in one program, compared with the gain of the machine by a second program: two
 * processes that share nothing, each with the whole task, at about the same time.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadRowSets, loadSchema, loneReplica, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { createCFile } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import { randomWalk, stridedDoubles } from "../data/data.js";
import { cfile, node } from "../machine/split-processes.js";
import { WrongAnswer } from "../measure.js";

const PEER = "one process";
const POOL = "one process with two workers";
const SENT = "two workers that send their batches to one thread";
const GOAL = 0.95;
const TURNS = 3;
const COLUMN_ROWS = 60_000_000;
const SCANS = 6;
const TABLE_ROWS = 48_000_000;
const FLUSHES = 48;

const child = fileURLToPath(new URL("../children/pool-scan-child.js", import.meta.url));

interface Task {
  readonly name: string;
  readonly rows: number;
  /** Milliseconds of the whole task. @param copy distinguishes the output of processes that run together */
  readonly run: (workers: 1 | 2, copy: number) => Promise<number>;
  /** Milliseconds of two workers that send decoded values to the requesting thread instead of consuming them. */
  readonly send?: () => Promise<number>;
}

async function scanTask(folder: string, type: "INT32" | "DOUBLE", scale: number): Promise<Task> {
  const rows = Math.ceil(COLUMN_ROWS * scale);
  const path = join(folder, `${type}.cfile`);
  const writer = await createCFile(path, { type, encoding: "BIT_SHUFFLE", sync: false });
  await writer.append(type === "INT32" ? randomWalk(rows) : stridedDoubles(rows));
  await writer.finish();
  const scan = async (mode: "alone" | "map" | "scan"): Promise<number> =>
    Number(await node([child, path, mode, `${rows}`, `${SCANS}`]));
  return {
    name: `scan of ${type}`,
    rows: SCANS * rows,
    run: (workers) => scan(workers === 1 ? "alone" : "map"),
    send: () => scan("scan"),
  };
}

async function tableTasks(folder: string, scale: number): Promise<Task[]> {
  const rows = Math.ceil(TABLE_ROWS * scale);
  const path = join(folder, "server");
  const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
  const rowSets = loadRowSets(rows, FLUSHES, 0);
  await server.add({ table: "load", schema: loadSchema, rowSets, replica: loneReplica });
  await server.finish();
  const timed = async (args: readonly string[], expected: string): Promise<number> => {
    const start = performance.now();
    const output = await cfile(["kudu", ...args, "--json"]);
    if (!output.includes(expected)) {
      throw new WrongAnswer(`cfile kudu ${args.join(" ")}: no ${expected} in ${output}`);
    }
    return performance.now() - start;
  };
  return [
    {
      name: "kudu check",
      rows,
      run: (workers) => timed(["check", path, "-j", `${workers}`], `"live_rows": ${rows},`),
    },
    {
      name: "kudu export",
      rows,
      run: async (workers, copy) => {
        const target = join(folder, `${copy}.parquet`);
        await rm(target, { force: true });
        return timed(
          ["export", path, "--table", "load", "-j", `${workers}`, "-o", target],
          `"rows":${rows},`,
        );
      },
    },
  ];
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

async function measureTask(
  { name, rows, run, send }: Task,
  turns: number,
): Promise<{ rows: BenchRow[]; goal: BenchGoal }> {
  const one: number[] = [];
  const both: number[] = [];
  const two: number[] = [];
  const sent: number[] = [];
  for (let turn = 0; turn < turns; turn++) {
    one.push(await run(1, 0));
    both.push(Math.max(...(await Promise.all([run(1, 0), run(1, 1)]))));
    two.push(await run(2, 0));
    if (send !== undefined) {
      sent.push(await send());
    }
  }
  const row = (contender: string, work: number, times: readonly number[]): BenchRow => ({
    contender: `${contender}: ${name}`,
    milliseconds: median(times),
    fastest: Math.min(...times),
    rate: (work * rows) / median(times) / 1000,
    ratio: (work * median(one)) / median(times),
  });
  const processes = row("two processes, each with the whole task", 2, both);
  const workers = row(POOL, 1, two);
  return {
    rows: [row(PEER, 1, one), processes, workers, ...(sent.length === 0 ? [] : [row(SENT, 1, sent)])],
    goal: atLeast(
      `${name}: two workers at the rate of two processes, times`,
      GOAL,
      workers.rate / processes.rate,
    ),
  };
}

export const twoWorkers: BenchCase = {
  name: "two-workers",
  title: "Two workers of one program, and two programs that share nothing",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-two-workers-"));
    try {
      const tasks = [
        await scanTask(folder, "INT32", scale),
        await scanTask(folder, "DOUBLE", scale),
        ...(await tableTasks(folder, scale)),
      ];
      const rows: BenchRow[] = [];
      const goals: BenchGoal[] = [];
      for (const task of tasks) {
        const measured = await measureTask(task, scale < 0.5 ? 1 : TURNS);
        rows.push(...measured.rows);
        goals.push(measured.goal);
      }
      return {
        unit: "million rows/s",
        peer: PEER,
        rows,
        goals,
        notes: ["Scans are timed in a process that has scanned before, commands from start to end."],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
