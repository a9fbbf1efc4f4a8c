/** Runs many cases, shard by shard, and records finished shards, so that an interrupted run can resume. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { FuzzThread } from "./fuzz-thread.js";
import type { Harness } from "./harness.js";
import { planShards } from "./plan-shards.js";
import type { Crash, Refusal, Shard, ShardReport } from "./run-fuzz.js";

export interface FuzzRunOptions {
  readonly seed: number;
  readonly cases: number;
  /** Stops after this time even if shards remain. */
  readonly seconds?: number | undefined;
  /** File with lines of finished shards, which do not run again. */
  readonly journal?: string | undefined;
  readonly onCrash?: ((crash: Crash) => void) | undefined;
  readonly onRefusals?: ((refusals: readonly Refusal[]) => void) | undefined;
  readonly onProgress?: ((line: string) => void) | undefined;
}

interface HarnessTotals {
  readonly cases: number;
  readonly results: number;
  readonly refusals: number;
  readonly crashes: number;
  readonly seconds: number;
  readonly slowest: ShardReport["slowest"];
}

export interface FuzzTotals {
  readonly seed: number;
  readonly planned: number;
  readonly cases: number;
  /** Seconds of processor time. */
  readonly seconds: number;
  readonly harnesses: Readonly<Record<string, HarnessTotals>>;
  readonly crashes: readonly Omit<Crash, "bytes">[];
  /** Peak memory of the process, in bytes. */
  readonly peakMemory: number;
}

type Line = Omit<ShardReport, "crashes"> & { readonly crashes: readonly Omit<Crash, "bytes">[] };

const TELLS_EVERY = 20_000;

export async function runFuzz(harnesses: readonly Harness[], options: FuzzRunOptions): Promise<FuzzTotals> {
  const { seed, cases, seconds = Number.POSITIVE_INFINITY, journal, onProgress } = options;
  const shards = planShards(harnesses, seed, cases);
  const lines = journal === undefined ? [] : readJournal(journal, seed);
  const done = new Set(lines.map(nameOf));
  const start = performance.now();
  let told = start;
  const thread = new FuzzThread(harnesses);
  try {
    for (const shard of shards.filter((each) => !done.has(nameOf(each)))) {
      if (performance.now() - start > 1000 * seconds) {
        break;
      }
      const { report, refusals } = await thread.run(shard);
      for (const crash of report.crashes) {
        options.onCrash?.(crash);
      }
      options.onRefusals?.(refusals);
      const line = { ...report, crashes: report.crashes.map(({ bytes: _bytes, ...crash }) => crash) };
      lines.push(line);
      if (journal !== undefined) {
        mkdirSync(dirname(journal), { recursive: true });
        appendFileSync(journal, `${JSON.stringify(line)}\n`);
      }
      if (performance.now() - told > TELLS_EVERY) {
        told = performance.now();
        onProgress?.(progressOf(lines, shards));
      }
    }
  } finally {
    await thread.close();
  }
  onProgress?.(progressOf(lines, shards));
  return totalsOf(lines, shards, seed);
}

function nameOf({ harness, from, to }: Pick<Shard, "harness" | "from" | "to">): string {
  return `${harness} ${from} ${to}`;
}

function readJournal(journal: string, seed: number): Line[] {
  if (!existsSync(journal)) {
    return [];
  }
  return readFileSync(journal, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.seed === seed);
}

function size(shards: readonly Pick<Shard, "from" | "to">[]): number {
  return shards.reduce((sum, { from, to }) => sum + to - from, 0);
}

function progressOf(lines: readonly Line[], shards: readonly Shard[]): string {
  const crashes = lines.reduce((sum, line) => sum + line.crashes.length, 0);
  const [done, all] = [size(lines), size(shards)];
  return `${new Date().toISOString().slice(11, 19)} ${done.toLocaleString("en-US")} of ${all.toLocaleString("en-US")} cases, ${crashes} crashes`;
}

function totalsOf(lines: readonly Line[], shards: readonly Shard[], seed: number): FuzzTotals {
  const harnesses: Record<string, HarnessTotals> = {};
  for (const line of lines) {
    const before = harnesses[line.harness];
    const isSlower = line.slowest.milliseconds > (before?.slowest.milliseconds ?? -1);
    harnesses[line.harness] = {
      cases: (before?.cases ?? 0) + line.to - line.from,
      results: (before?.results ?? 0) + line.results,
      refusals: (before?.refusals ?? 0) + line.refusals,
      crashes: (before?.crashes ?? 0) + line.crashes.length,
      seconds: (before?.seconds ?? 0) + line.seconds,
      slowest: before === undefined || isSlower ? line.slowest : before.slowest,
    };
  }
  return {
    seed,
    planned: size(shards),
    cases: size(lines),
    seconds: lines.reduce((sum, line) => sum + line.seconds, 0),
    harnesses,
    crashes: lines.flatMap(({ crashes }) => crashes),
    peakMemory: process.resourceUsage().maxRSS * 1024,
  };
}
