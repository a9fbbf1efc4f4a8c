/**
 * The journal of continued runs, `tools/fuzz/reliability/runs.ndjson`: a line of JSON per run. A case has an
 * index in its harness, and no two indexes have the same seed, so that runs that continue the indexes never
 * repeat a case.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { type DirectoryDamage, noResults } from "../directories/damage-directories.js";
import { DAMAGE_KINDS } from "../directories/damage-files.js";

/** Cases `from` to `to` (exclusive) of a harness. */
export interface HarnessRun {
  readonly from: number;
  readonly to: number;
  readonly results: number;
  readonly refusals: number;
  readonly crashes: number;
  /** Seconds of processor time. */
  readonly seconds: number;
}

export interface DirectoriesRun extends Omit<DirectoryDamage, "cases" | "faults" | "results"> {
  /** By name: earlier runs may have results that current cases do not have. */
  readonly results: Readonly<Record<string, number>>;
  readonly from: number;
  readonly to: number;
  readonly seconds: number;
}

/** A line of the journal. */
export interface ContinuedRun {
  readonly commit: string;
  /** Days of the start and the end. */
  readonly date: string;
  readonly node: string;
  readonly seed: number;
  readonly harnesses: Readonly<Record<string, HarnessRun>>;
  readonly directories: DirectoriesRun;
  readonly faults: readonly string[];
}

export function readRuns(file: string): ContinuedRun[] {
  return existsSync(file)
    ? readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as ContinuedRun)
    : [];
}

/** Replaces the file atomically, so that an interruption keeps the earlier lines. */
export function writeRuns(file: string, runs: readonly ContinuedRun[]): void {
  writeFileSync(`${file}.tmp`, runs.map((run) => `${JSON.stringify(run)}\n`).join(""));
  renameSync(`${file}.tmp`, file);
}

/** The first index of a harness that no run of this seed has used. */
export function nextCase(runs: readonly ContinuedRun[], seed: number, harness: string): number {
  return Math.max(
    0,
    ...runs.filter((run) => run.seed === seed).map((run) => run.harnesses[harness]?.to ?? 0),
  );
}

export function nextDirectory(runs: readonly ContinuedRun[], seed: number): number {
  return Math.max(0, ...runs.filter((run) => run.seed === seed).map(({ directories }) => directories.to));
}

/** All harnesses, in the order in which they first ran. `from` and `to` of the result only give the count. */
export function totalOfHarnesses(runs: readonly ContinuedRun[]): ReadonlyMap<string, HarnessRun> {
  const totals = new Map<string, HarnessRun>();
  for (const [name, run] of runs.flatMap(({ harnesses }) => Object.entries(harnesses))) {
    const { to = 0, results = 0, refusals = 0, crashes = 0, seconds = 0 } = totals.get(name) ?? {};
    totals.set(name, {
      from: 0,
      to: to + run.to - run.from,
      results: results + run.results,
      refusals: refusals + run.refusals,
      crashes: crashes + run.crashes,
      seconds: seconds + run.seconds,
    });
  }
  return totals;
}

export function noDirectories(from: number): DirectoriesRun {
  const kinds = Object.fromEntries(DAMAGE_KINDS.map((kind) => [kind, 0])) as DirectoriesRun["kinds"];
  return { from, to: from, results: noResults(), kinds, recovered: 0, seconds: 0 };
}

/** Adds up the cases of two runs; the range starts at that of the first. */
export function joinDirectories(one: DirectoriesRun, two: DirectoriesRun): DirectoriesRun {
  const sums = <K extends string>(a: Readonly<Record<K, number>>, b: Readonly<Record<K, number>>) =>
    Object.fromEntries(
      [...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [
        key,
        (a[key as K] ?? 0) + (b[key as K] ?? 0),
      ]),
    ) as Record<K, number>;
  return {
    from: one.from,
    to: one.to + two.to - two.from,
    results: sums(one.results, two.results),
    kinds: sums(one.kinds, two.kinds),
    recovered: one.recovered + two.recovered,
    seconds: one.seconds + two.seconds,
  };
}
