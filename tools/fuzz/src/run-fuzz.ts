/** The loop: mutate a golden file, hand it to every harness, keep what crashes. */
import { isCFileError } from "@cfile/bytes";
import { goldenFiles } from "./golden-file.js";
import { HARNESSES } from "./harnesses.js";
import { mutate } from "./mutate.js";
import { Random } from "./random.js";

export interface FuzzOptions {
  readonly seed: number;
  /** Mutated files; each goes through all harnesses. */
  readonly runs: number;
  /** Stops after this time even when there are runs left. */
  readonly seconds?: number | undefined;
  readonly onCrash?: ((crash: Crash) => void) | undefined;
}

export interface Crash {
  readonly seed: number;
  readonly run: number;
  readonly harness: string;
  readonly file: string;
  readonly steps: readonly string[];
  readonly reason: string;
  readonly bytes: Uint8Array;
}

export interface FuzzReport {
  readonly seed: number;
  readonly runs: number;
  readonly seconds: number;
  /** By harness: how often it ran, gave a result, and refused. */
  readonly harnesses: Readonly<Record<string, { runs: number; results: number; refusals: number }>>;
  readonly crashes: readonly Crash[];
  readonly slowest: { readonly milliseconds: number; readonly what: string };
}

const LARGEST_FILE = 20_000;
/** A harness that takes longer hangs. */
export const HANGS_AFTER = 2000;

export async function runFuzz({ seed, runs, seconds, onCrash }: FuzzOptions): Promise<FuzzReport> {
  const files = await goldenFiles(LARGEST_FILE);
  const counts: Record<string, { runs: number; results: number; refusals: number }> = {};
  const crashes: Crash[] = [];
  let slowest = { milliseconds: 0, what: "" };
  const start = performance.now();
  const elapsed = (): number => (performance.now() - start) / 1000;
  let run = 0;
  for (; run < runs && elapsed() < (seconds ?? Number.POSITIVE_INFINITY); run++) {
    const random = new Random(seed + run);
    const golden = random.pick(files);
    const { bytes, steps } = mutate(golden, random);
    for (const [harness, action] of Object.entries(HARNESSES)) {
      counts[harness] ??= { runs: 0, results: 0, refusals: 0 };
      const count = counts[harness];
      const before = performance.now();
      let reason: string | undefined;
      count.runs++;
      try {
        await action({ bytes, golden, random });
        count.results++;
      } catch (error) {
        if (isCFileError(error)) {
          count.refusals++;
        } else {
          reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
        }
      }
      const milliseconds = performance.now() - before;
      if (milliseconds > slowest.milliseconds) {
        slowest = { milliseconds, what: `${harness} of ${golden.name}, seed ${seed + run}` };
      }
      if (milliseconds > HANGS_AFTER) {
        reason ??= `took ${Math.round(milliseconds)} ms`;
      }
      if (reason !== undefined) {
        const crash = { seed: seed + run, run, harness, file: golden.name, steps, reason, bytes };
        crashes.push(crash);
        onCrash?.(crash);
      }
    }
  }
  return { seed, runs: run, seconds: elapsed(), harnesses: counts, crashes, slowest };
}
