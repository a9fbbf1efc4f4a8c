/** Scans of a file by processes that have scanned before, with compiled code. */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createCFile } from "cfile";
import { randomWalk, stridedDoubles } from "../../data/data.js";
import { WrongAnswer } from "../../measure.js";
import { type Contender, type Measured, measured, type Times, taskTimes } from "./task-times.js";

const COLUMN_ROWS = 60_000_000;
const TURNS = 12;
/** Rates of processes with the same code differ by a tenth. */
const STARTS = 6;

const child = fileURLToPath(new URL("../../children/pool-scan-child.js", import.meta.url));

/** A process that scans a file whenever it is asked. */
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

export async function measureScan(
  folder: string,
  type: "INT32" | "DOUBLE",
  scale: number,
): Promise<Measured> {
  const rows = Math.ceil(COLUMN_ROWS * scale);
  const path = join(folder, `${type}.cfile`);
  const writer = await createCFile(path, { type, encoding: "BIT_SHUFFLE", sync: false });
  await writer.append(type === "INT32" ? randomWalk(rows) : stridedDoubles(rows));
  await writer.finish();
  const isSmall = scale < 0.5;
  const starts: Times[] = [];
  for (let start = 0; start < (isSmall ? 1 : STARTS); start++) {
    starts.push(await scanTimes(path, rows, isSmall ? 3 : TURNS));
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
