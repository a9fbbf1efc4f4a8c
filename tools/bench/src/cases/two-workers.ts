/**
 * The speedup by a second worker in one program, compared with the gain of the machine by a second program: two
 * processes that share nothing, each with the whole task, at the same time. All take turns, and ratios are medians of those within a
 * turn, because the speed of a virtual machine changes from second to second.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadRowSets, loadSchema, loneReplica, syntheticServer } from "@cfile-tools/kudu-synthetic";
import { createCFile } from "cfile";
import { atLeast, type BenchCase, type BenchGoal, type BenchRow } from "../bench-case.js";
import { randomWalk, stridedDoubles } from "../data/data.js";
import { cfile } from "../machine/split-processes.js";
import { WrongAnswer } from "../measure.js";
import { median, medianRatio, takeTurns } from "../turns.js";

const PEER = "one process";
const POOL = "one process with two workers";
const SENT = "two workers that send their batches to one thread";
const GOAL = 0.95;
const COLUMN_ROWS = 60_000_000;
const SCAN_TURNS = 60;
const COMMAND_TURNS = 3;
/** The smaller table shows what each thread costs at its start. */
const TABLES_ROWS = [48_000_000, 192_000_000];
const FLUSH_ROWS = 1_000_000;

const child = fileURLToPath(new URL("../children/pool-scan-child.js", import.meta.url));

interface Task {
  readonly name: string;
  readonly rows: number;
  readonly turns: number;
  /** The whole task. @param copy distinguishes processes that run together */
  readonly run: (workers: 1 | 2, copy: 0 | 1) => Promise<void>;
  /** The task in two workers that send decoded values to the requesting thread instead of consuming them. */
  readonly send?: () => Promise<void>;
}

/** A process that scans a file whenever it is asked, with compiled code. */
class ScanProcess implements Disposable {
  private readonly process: ChildProcess;
  private readonly rows: number;

  private constructor(process: ChildProcess, rows: number) {
    this.process = process;
    this.rows = rows;
  }

  static async start(path: string, mode: "alone" | "map" | "scan", rows: number): Promise<ScanProcess> {
    const process = fork(child, [path, mode]);
    await answerOf(process);
    return new ScanProcess(process, rows);
  }

  async scan(): Promise<void> {
    const answer = answerOf(this.process);
    this.process.send("scan");
    const found = await answer;
    if (found !== this.rows) {
      throw new WrongAnswer(`${found} rows, expected ${this.rows}`);
    }
  }

  [Symbol.dispose](): void {
    this.process.disconnect();
  }
}

async function answerOf(process: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const { signal } = ended;
  try {
    const [answer] = await Promise.race([
      once(process, "message", { signal }),
      once(process, "exit", { signal }).then(([code]) => {
        throw new WrongAnswer(`a process ended with ${code}`);
      }),
    ]);
    return answer;
  } finally {
    ended.abort();
  }
}

async function measureScan(folder: string, type: "INT32" | "DOUBLE", scale: number): Promise<Measured> {
  const rows = Math.ceil(COLUMN_ROWS * scale);
  const path = join(folder, `${type}.cfile`);
  const writer = await createCFile(path, { type, encoding: "BIT_SHUFFLE", sync: false });
  await writer.append(type === "INT32" ? randomWalk(rows) : stridedDoubles(rows));
  await writer.finish();
  using first = await ScanProcess.start(path, "alone", rows);
  using second = await ScanProcess.start(path, "alone", rows);
  using pool = await ScanProcess.start(path, "map", rows);
  using sending = await ScanProcess.start(path, "scan", rows);
  return await measureTask({
    name: `scan of ${type}`,
    rows,
    turns: scale < 0.5 ? 3 : SCAN_TURNS,
    run: (workers, copy) => (workers === 2 ? pool : copy === 0 ? first : second).scan(),
    send: () => sending.scan(),
  });
}

async function tableTasks(folder: string, tableRows: number, scale: number): Promise<Task[]> {
  const rows = Math.ceil(tableRows * scale);
  const size = `${tableRows / 1e6} million rows`;
  const path = join(folder, "server");
  const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
  const rowSets = loadRowSets(rows, tableRows / FLUSH_ROWS, 0);
  await server.add({ table: "load", schema: loadSchema, rowSets, replica: loneReplica });
  await server.finish();
  const turns = scale < 0.5 ? 1 : COMMAND_TURNS;
  const runCommand = async (args: readonly string[], expected: string): Promise<void> => {
    const output = await cfile(["kudu", ...args, "--json"]);
    if (!output.includes(expected)) {
      throw new WrongAnswer(`cfile kudu ${args.join(" ")}: no ${expected} in ${output}`);
    }
  };
  return [
    {
      name: `kudu check of ${size}`,
      rows,
      turns,
      run: (workers) => runCommand(["check", path, "-j", `${workers}`], `"live_rows": ${rows},`),
    },
    {
      name: `kudu export of ${size}`,
      rows,
      turns,
      run: async (workers, copy) => {
        const target = join(folder, `${copy}.parquet`);
        await rm(target, { force: true });
        return runCommand(
          ["export", path, "--table", "load", "-j", `${workers}`, "-o", target],
          `"rows":${rows},`,
        );
      },
    },
  ];
}

interface Measured {
  readonly rows: BenchRow[];
  readonly goal: BenchGoal;
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

async function measureTask({ name, rows, turns, run, send }: Task): Promise<Measured> {
  const { one, both, two, sent } = await takeTurns(turns, {
    one: () => timed(() => run(1, 0)),
    both: () => timed(() => Promise.all([run(1, 0), run(1, 1)])),
    two: () => timed(() => run(2, 0)),
    sent: () => (send === undefined ? Promise.resolve(Number.NaN) : timed(send)),
  });
  const row = (contender: string, work: number, times: readonly number[]): BenchRow => ({
    contender: `${contender}: ${name}`,
    milliseconds: median(times),
    fastest: Math.min(...times),
    rate: (work * rows) / median(times) / 1000,
    ratio: work * medianRatio(one, times),
  });
  return {
    rows: [
      row(PEER, 1, one),
      row("two processes, each with the whole task", 2, both),
      row(POOL, 1, two),
      ...(send === undefined ? [] : [row(SENT, 1, sent)]),
    ],
    goal: atLeast(
      `${name}: two workers at the rate of two processes, times`,
      GOAL,
      medianRatio(both, two) / 2,
    ),
  };
}

export const twoWorkers: BenchCase = {
  name: "two-workers",
  title: "Two workers of one program, and two programs that share nothing",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-two-workers-"));
    try {
      const measured = [
        await measureScan(folder, "INT32", scale),
        await measureScan(folder, "DOUBLE", scale),
      ];
      for (const tableRows of TABLES_ROWS) {
        const inside = await mkdtemp(join(folder, "table-"));
        for (const task of await tableTasks(inside, tableRows, scale)) {
          measured.push(await measureTask(task));
        }
        await rm(inside, { recursive: true });
      }
      return {
        unit: "million rows/s",
        peer: PEER,
        rows: measured.flatMap(({ rows }) => rows),
        goals: measured.map(({ goal }) => goal),
        notes: [
          "Scans are timed in processes that have scanned before, commands from start to end. Ratios are medians of those within a turn.",
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
