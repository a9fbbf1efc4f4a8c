/**
 * The speedup by a second worker in one program, compared with the gain of the machine by a second program: two
 * processes that share nothing, at the same time. Each has half of the task, so both programs process the same number of bytes. All take
 * turns, and ratios are medians of those within a turn, because the speed of a virtual machine changes from second to second.
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
const HALVES = "two processes, each with half of the task";
const WHOLE = "two processes, each with the whole task";
const POOL = "one process with two workers";
const SENT = "two workers that send their batches to one thread";
const GOAL = 0.95;
const COLUMN_ROWS = 60_000_000;
const SCAN_TURNS = 12;
/** Rates of processes with the same code differ by a tenth. */
const SCAN_STARTS = 6;
const COMMAND_TURNS = 7;
const TABLE_ROWS = 48_000_000;
const FLUSH_ROWS = 1_000_000;

const child = fileURLToPath(new URL("../children/pool-scan-child.js", import.meta.url));

interface Task {
  readonly turns: number;
  /** The whole task in two workers. */
  readonly pool: () => Promise<void>;
  /** The task in one thread. @param copy distinguishes processes that run together, and their halves */
  readonly alone: (part: "whole" | "half", copy: 0 | 1) => Promise<void>;
  /** The task in two workers that send decoded values to the requesting thread instead of consuming them. */
  readonly send?: () => Promise<void>;
}

/** A process that scans a file whenever it is asked, with compiled code. */
class ScanProcess implements Disposable {
  private readonly process: ChildProcess;

  private constructor(process: ChildProcess) {
    this.process = process;
  }

  static async start(path: string, mode: "alone" | "map" | "scan"): Promise<ScanProcess> {
    const process = fork(child, [path, mode]);
    await answerOf(process);
    return new ScanProcess(process);
  }

  async scan(from: number, to: number): Promise<void> {
    const answer = answerOf(this.process);
    this.process.send({ from, to });
    const found = await answer;
    if (found !== to - from) {
      throw new WrongAnswer(`${found} rows, expected ${to - from}`);
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
  const isSmall = scale < 0.5;
  const starts: Times[] = [];
  for (let start = 0; start < (isSmall ? 1 : SCAN_STARTS); start++) {
    starts.push(await scanTimes(path, rows, isSmall ? 3 : SCAN_TURNS));
  }
  const all = (name: Contender) => starts.flatMap((times) => times[name]);
  const times = {
    one: all("one"),
    halves: all("halves"),
    two: all("two"),
    whole: all("whole"),
    sent: all("sent"),
  };
  return measured(`scan of ${type}`, rows, times);
}

async function scanTimes(path: string, rows: number, turns: number): Promise<Times> {
  using first = await ScanProcess.start(path, "alone");
  using second = await ScanProcess.start(path, "alone");
  using pool = await ScanProcess.start(path, "map");
  using sending = await ScanProcess.start(path, "scan");
  const middle = rows >> 1;
  return await taskTimes({
    turns,
    pool: () => pool.scan(0, rows),
    alone: (part, copy) =>
      copy === 0
        ? first.scan(0, part === "whole" ? rows : middle)
        : second.scan(part === "whole" ? 0 : middle, rows),
    send: () => sending.scan(0, rows),
  });
}

async function createTable(path: string, rows: number, flushes: number): Promise<void> {
  const server = await syntheticServer(path, { disks: 2, blockManager: "log", containerBytes: 1 << 26 });
  const rowSets = loadRowSets(rows, flushes, 0);
  await server.add({ table: "load", schema: loadSchema, rowSets, replica: loneReplica });
  await server.finish();
}

async function measureTable(folder: string, scale: number): Promise<Measured[]> {
  const half = Math.ceil((TABLE_ROWS * scale) / 2);
  const tables = {
    whole: { path: join(folder, "whole"), rows: 2 * half },
    half: { path: join(folder, "half"), rows: half },
  };
  const flushes = TABLE_ROWS / FLUSH_ROWS;
  await createTable(tables.whole.path, tables.whole.rows, flushes);
  await createTable(tables.half.path, tables.half.rows, flushes / 2);
  const runCommand = async (args: readonly string[], expected: string): Promise<void> => {
    const output = await cfile(["kudu", ...args, "--json"]);
    if (!output.includes(expected)) {
      throw new WrongAnswer(`cfile kudu ${args.join(" ")}: no ${expected} in ${output}`);
    }
  };
  const check = (part: "whole" | "half", threads: number): Promise<void> => {
    const { path, rows } = tables[part];
    return runCommand(["check", path, "-j", `${threads}`], `"live_rows": ${rows},`);
  };
  const exportTable = async (part: "whole" | "half", threads: number, copy: number): Promise<void> => {
    const { path, rows } = tables[part];
    const target = join(folder, `${copy}.parquet`);
    await rm(target, { force: true });
    await runCommand(
      ["export", path, "--table", "load", "-j", `${threads}`, "-o", target],
      `"rows":${rows},`,
    );
  };
  const turns = scale < 0.5 ? 1 : COMMAND_TURNS;
  const checks = await taskTimes({
    turns,
    pool: () => check("whole", 2),
    alone: (part) => check(part, 1),
  });
  const exports = await taskTimes({
    turns,
    pool: () => exportTable("whole", 2, 0),
    alone: (part, copy) => exportTable(part, 1, copy),
  });
  const { rows } = tables.whole;
  return [measured("kudu check", rows, checks), measured("kudu export", rows, exports)];
}

type Contender = "one" | "halves" | "two" | "whole" | "sent";
type Times = Readonly<Record<Contender, readonly number[]>>;

interface Measured {
  readonly rows: BenchRow[];
  readonly goal: BenchGoal;
  /** The ratio to two processes that do the whole task each, with its name. */
  readonly twice: string;
}

async function timed(task: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await task();
  return performance.now() - start;
}

function taskTimes({ turns, pool, alone, send }: Task): Promise<Times> {
  const together = (part: "whole" | "half") => timed(() => Promise.all([alone(part, 0), alone(part, 1)]));
  return takeTurns(turns, {
    one: () => timed(() => alone("whole", 0)),
    halves: () => together("half"),
    two: () => timed(pool),
    whole: () => together("whole"),
    sent: () => (send === undefined ? Promise.resolve(Number.NaN) : timed(send)),
  });
}

function measured(name: string, rows: number, { one, halves, two, whole, sent }: Times): Measured {
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
      row(HALVES, 1, halves),
      row(POOL, 1, two),
      row(WHOLE, 2, whole),
      ...(Number.isNaN(sent[0]) ? [] : [row(SENT, 1, sent)]),
    ],
    goal: atLeast(
      `${name}: two workers at the rate of two processes with half of the task, times`,
      GOAL,
      medianRatio(halves, two),
    ),
    twice: `${name} ${(medianRatio(whole, two) / 2).toPrecision(3)}`,
  };
}

export const twoWorkers: BenchCase = {
  name: "two-workers",
  title: "Two workers of one program, and two programs that share nothing",
  async run(scale) {
    const folder = await mkdtemp(join(tmpdir(), "cfile-bench-two-workers-"));
    try {
      const all = [
        await measureScan(folder, "INT32", scale),
        await measureScan(folder, "DOUBLE", scale),
        ...(await measureTable(folder, scale)),
      ];
      return {
        unit: "million rows/s",
        peer: PEER,
        rows: all.flatMap(({ rows }) => rows),
        goals: all.map(({ goal }) => goal),
        notes: [
          "Scans are timed in processes that have scanned before, commands from start to end. Ratios are medians of those within a turn.",
          `At the rate of two processes with the whole task each, that is, with twice the work for one start: ${all.map(({ twice }) => twice).join(", ")}.`,
        ],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
};
