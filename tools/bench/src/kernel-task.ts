/** A hot loop, run by several libraries over the same bytes. */
import { equalBytes } from "@cfile/bytes";
import type { BenchGoal, BenchRow } from "./bench-case.js";
import { type Contender, measure } from "./measure.js";

export const PORTABLE = "cfile, portable";
export const SIMD = "cfile, SIMD";

/** Fraction of the usual time for each contender, because there are many. */
const EFFORT = 0.25;

export interface KernelTask {
  readonly name: string;
  /** Uncompressed bytes per run. */
  readonly bytes: number;
  /** Every answer must be `expected`. */
  readonly contenders: readonly Contender<never>[];
  readonly expected: unknown;
  /** @param rateOf GB/s of a contender, `NaN` when it is missing */
  readonly goals?: (rateOf: (contender: string) => number) => BenchGoal[];
}

/** Rows of the table, with the portable version as the peer. */
export async function measureKernel(
  task: KernelTask,
  scale: number,
): Promise<{ readonly rows: BenchRow[]; readonly goals: BenchGoal[] }> {
  const timings = await measure(task.contenders, task.expected, EFFORT * Math.min(1, scale));
  const rateOf = (name: string): number => {
    const timing = timings.find(({ contender }) => contender === name);
    return timing === undefined ? Number.NaN : task.bytes / 1e6 / timing.milliseconds;
  };
  const rows = timings.map(({ contender, milliseconds, fastest }) => ({
    contender: `${contender}: ${task.name}`,
    milliseconds,
    fastest,
    rate: rateOf(contender),
    ratio: rateOf(contender) / rateOf(PORTABLE),
  }));
  return { rows, goals: task.goals?.(rateOf) ?? [] };
}

/** Divides `bytes` into pieces of `length`, which share its memory. */
export function piecesOf(bytes: Uint8Array, length: number): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += length) {
    pieces.push(bytes.subarray(at, at + length));
  }
  return pieces;
}

export function arePieces(pieces: readonly Uint8Array[], whole: Uint8Array): boolean {
  let at = 0;
  for (const piece of pieces) {
    if (!equalBytes(piece, whole.subarray(at, at + piece.length))) {
      return false;
    }
    at += piece.length;
  }
  return at === whole.length;
}
