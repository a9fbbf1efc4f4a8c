/** The main loop: creates a case from its seed, runs it, and saves crashes. */
import { isCFileError } from "@cfile/bytes";
import type { Harness, ReadyHarness } from "./harness.js";
import { caseSeed } from "./random.js";

/** Time limit in milliseconds, of the clock and of processor time: a slower case counts as a hang. */
export const HANGS_AFTER = 2000;
/** Memory limit for one case, in KiB; exceeding it counts as a crash. */
const MAX_MEMORY = 64 * 1024;
/**
 * Milliseconds between two measurements of memory. Measuring costs as much as a fast case. A case that touches
 * 64 MiB takes longer than this interval, so memory is measured directly after it.
 */
const MEASURES_EVERY = 1;
/** Lines in the stack of a crash. */
const STACK = 12;

/** Cases `from` to `to` (exclusive) of a harness, in the run of a seed. */
export interface Shard {
  readonly seed: number;
  readonly harness: string;
  readonly from: number;
  readonly to: number;
}

export interface Crash {
  readonly harness: string;
  readonly subject: string;
  /** Seed of the case itself. */
  readonly seed: number;
  readonly steps: readonly string[];
  readonly reason: string;
  readonly bytes: Uint8Array;
}

export interface ShardReport extends Shard {
  /** Cases that returned a result, and cases rejected with a `CFileError`. */
  readonly results: number;
  readonly refusals: number;
  readonly crashes: readonly Crash[];
  /** Seconds of the process's processor time. */
  readonly seconds: number;
  readonly slowest: { readonly milliseconds: number; readonly seed: number; readonly subject: string };
}

export interface ShardEvents {
  /** Called before each case, for a watchdog in another thread. */
  readonly onCase?: ((index: number) => void) | undefined;
  /** The first rejection of a kind: harness, code and field. */
  readonly onRefusal?: ((refusal: Refusal) => void) | undefined;
}

export interface Refusal {
  readonly harness: string;
  readonly subject: string;
  readonly seed: number;
  readonly code: string;
  readonly field: string;
  readonly bytes: Uint8Array;
}

export async function runShard(
  harness: Harness,
  shard: Shard,
  events: ShardEvents = {},
): Promise<ShardReport> {
  const ready = await harness.ready();
  const crashes: Crash[] = [];
  const kinds = new Set<string>();
  let results = 0;
  let refusals = 0;
  let slowest = { milliseconds: 0, seed: 0, subject: "" };
  const used = process.cpuUsage();
  let before = performance.now();
  let measured = before;
  let memory = process.resourceUsage().maxRSS;
  for (let index = shard.from; index < shard.to; index++) {
    events.onCase?.(index);
    const seed = caseSeed(shard.seed, harness.name, index);
    const { subject, bytes, steps, run } = ready.make(seed);
    let reason: string | undefined;
    try {
      const outcome = run();
      if (outcome instanceof Promise) {
        await outcome;
      }
      results++;
    } catch (error) {
      if (isCFileError(error)) {
        refusals++;
        const kind = `${error.code} ${error.field ?? ""}`;
        if (events.onRefusal !== undefined && !kinds.has(kind)) {
          kinds.add(kind);
          const { code, field = "" } = error;
          events.onRefusal({ harness: harness.name, subject, seed, code, field, bytes });
        }
      } else {
        reason = await reasonOf(error, ready, seed);
      }
    }
    let now = performance.now();
    let milliseconds = now - before;
    if (milliseconds > HANGS_AFTER) {
      // On a busy machine, any case can be slow by the clock. It runs again, and its processor time counts.
      milliseconds = await processorTime(ready, seed);
      now = performance.now();
      if (milliseconds > HANGS_AFTER) {
        reason ??= `took ${Math.round(milliseconds)} ms`;
      }
    }
    before = now;
    if (milliseconds > slowest.milliseconds) {
      slowest = { milliseconds, seed, subject };
    }
    if (now - measured > MEASURES_EVERY || index === shard.to - 1) {
      measured = now;
      const { maxRSS } = process.resourceUsage();
      if (maxRSS - memory > MAX_MEMORY) {
        reason ??= `took ${Math.round((maxRSS - memory) / 1024)} MiB`;
      }
      memory = maxRSS;
    }
    if (reason !== undefined) {
      crashes.push({ harness: harness.name, subject, seed, steps, reason, bytes });
    }
  }
  const { user, system } = process.cpuUsage(used);
  const seconds = (user + system) / 1e6;
  return { ...shard, results, refusals, crashes, seconds, slowest };
}

/** The stack of a crash. Rejections are frequent and their stacks unused, so the thread may have turned stacks off. */
async function reasonOf(error: unknown, ready: ReadyHarness, seed: number): Promise<string> {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = STACK;
  try {
    await ready.make(seed).run();
  } catch (again) {
    if (again instanceof Error && !isCFileError(again)) {
      return again.stack ?? again.message;
    }
  } finally {
    Error.stackTraceLimit = limit;
  }
  return `only once: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** Processor time of the case in milliseconds. */
async function processorTime(ready: ReadyHarness, seed: number): Promise<number> {
  const before = process.cpuUsage();
  try {
    await ready.make(seed).run();
  } catch {
    // Its outcome was reported the first time.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** Replays saved bytes: returns the error code or `result`, and the reason if it is a crash. */
export async function replay(
  ready: ReadyHarness,
  seed: number,
  subject: string,
  bytes: Uint8Array,
): Promise<{ readonly code: string; readonly crash: string | undefined }> {
  try {
    await ready.replay(seed, subject, bytes);
    return { code: "result", crash: undefined };
  } catch (error) {
    return isCFileError(error)
      ? { code: error.code, crash: undefined }
      : { code: "crash", crash: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}
