/**
 * A worker with a watchdog. A case that hangs, or exhausts memory, is a crash of that case, and the run
 * continues after it.
 */
import { Worker } from "node:worker_threads";
import type { FuzzAnswer, FuzzWorkerData } from "./fuzz-worker.js";
import type { Harness } from "./harness.js";
import { caseSeed } from "./random.js";
import type { Crash, Shard, ShardReport } from "./run-fuzz.js";

const LOOKS_EVERY = 500;
/** Seconds of processor time per case, because on a busy machine the clock also counts waiting for a core. */
const NEVER_ENDS = 30;
/** Maximum checks per case of a thread that waits forever. Not a time limit, because the process may be stopped for a while. */
const MAX_LOOKS = 1200;
const HEAP_MEGABYTES = 512;

export class FuzzThread {
  private readonly harnesses: ReadonlyMap<string, Harness>;
  private worker: Worker | undefined;
  private current = new Int32Array(new SharedArrayBuffer(4));

  constructor(harnesses: readonly Harness[]) {
    this.harnesses = new Map(harnesses.map((harness) => [harness.name, harness]));
  }

  /** Runs a shard. If a case ends the thread, the other cases run again without it. */
  async run(shard: Shard): Promise<FuzzAnswer> {
    const { answer, failure } = await this.attempt(shard);
    if (answer !== undefined) {
      return answer;
    }
    const at = Math.min(shard.to - 1, Math.max(shard.from, this.current[0] as number));
    await this.close();
    const parts: FuzzAnswer[] = [];
    for (const [from, to] of [
      [shard.from, at],
      [at + 1, shard.to],
    ] as const) {
      if (from < to) {
        parts.push(await this.run({ ...shard, from, to }));
      }
    }
    return joined(shard, parts, await this.crashOf(shard, at, failure ?? "ended the thread"));
  }

  async close(): Promise<void> {
    await this.worker?.terminate();
    this.worker = undefined;
  }

  private attempt(shard: Shard): Promise<{ answer?: FuzzAnswer; failure?: string }> {
    const worker = this.worker ?? this.start();
    this.worker = worker;
    return new Promise((resolve) => {
      let seen = -1;
      let looks = 0;
      let used = 0;
      const watch = setInterval(() => {
        const now = this.current[0] as number;
        if (now !== seen) {
          seen = now;
          looks = 0;
          used = processorSeconds();
        } else if (processorSeconds() - used > NEVER_ENDS || ++looks > MAX_LOOKS) {
          const minutes = (MAX_LOOKS * LOOKS_EVERY) / 60_000;
          end({ failure: `did not end within ${NEVER_ENDS} s of processor time or ${minutes} minutes` });
        }
      }, LOOKS_EVERY);
      const end = (outcome: { answer?: FuzzAnswer; failure?: string }): void => {
        clearInterval(watch);
        worker.off("message", onMessage).off("error", onError).off("exit", onExit);
        resolve(outcome);
      };
      const onMessage = (answer: FuzzAnswer): void => end({ answer });
      const onError = (error: unknown): void => end({ failure: String(error) });
      const onExit = (code: number): void => end({ failure: `the thread ended with ${code}` });
      worker.on("message", onMessage).on("error", onError).on("exit", onExit);
      worker.postMessage(shard);
    });
  }

  private start(): Worker {
    const shared = new SharedArrayBuffer(4);
    this.current = new Int32Array(shared);
    const worker = new Worker(new URL("./fuzz-worker.js", import.meta.url), {
      workerData: { current: shared } satisfies FuzzWorkerData,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    // A terminated thread may report another failure after everyone stopped listening.
    worker.on("error", () => undefined);
    return worker;
  }

  private async crashOf({ seed, harness }: Shard, index: number, reason: string): Promise<Crash> {
    const own = caseSeed(seed, harness, index);
    const made = (await this.harnesses.get(harness)?.ready())?.make(own);
    return {
      harness,
      subject: made?.subject ?? "",
      seed: own,
      steps: made?.steps ?? [],
      reason,
      bytes: made?.bytes ?? new Uint8Array(0),
    };
  }
}

function processorSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

function joined(shard: Shard, parts: readonly FuzzAnswer[], crash: Crash): FuzzAnswer {
  const reports = parts.map(({ report }) => report);
  const sum = (count: (report: ShardReport) => number): number =>
    reports.reduce((total, report) => total + count(report), 0);
  const slowest = reports
    .map((report) => report.slowest)
    .reduce((one, two) => (one.milliseconds > two.milliseconds ? one : two), {
      milliseconds: 0,
      seed: 0,
      subject: "",
    });
  const report: ShardReport = {
    ...shard,
    results: sum(({ results }) => results),
    refusals: sum(({ refusals }) => refusals),
    seconds: sum(({ seconds }) => seconds),
    crashes: [...reports.flatMap(({ crashes }) => crashes), crash],
    slowest,
  };
  return { report, refusals: parts.flatMap(({ refusals }) => refusals) };
}
