/**
 * Adds cases to those of earlier runs until the time is up: mutated inputs for every harness, and damaged
 * directories. Rounds are short, and the journal is written after each round, so that the process can be stopped
 * at any time.
 */
import { damageDirectories } from "../directories/damage-directories.js";
import { FuzzThread } from "../fuzz-thread.js";
import type { Harness } from "../harness.js";
import type { Crash } from "../run-fuzz.js";
import {
  type ContinuedRun,
  type DirectoriesRun,
  type HarnessRun,
  joinDirectories,
  nextCase,
  nextDirectory,
  noDirectories,
  readRuns,
  totalOfHarnesses,
  writeRuns,
} from "./run-journal.js";

export interface ContinueOptions {
  /** Seed of all continued runs, so that their cases differ. */
  readonly seed: number;
  /** Path of the journal, to which a line is added. */
  readonly file: string;
  readonly commit: string;
  /** Wall-clock time after which no round starts. */
  readonly seconds: number;
  /** Processor time of a round. */
  readonly roundSeconds: number;
  /** Whether part of the time is for damaged directories. */
  readonly damagesDirectories: boolean;
  readonly onCrash: (crash: Crash) => string;
  readonly onRound: (run: ContinuedRun) => void;
}

/** Fraction of the time for damaged directories. */
const DIRECTORIES_SHARE = 0.3;
/** Assumed cases per second of a harness until it has been measured. */
const FIRST_RATE = 50;
const FIRST_DIRECTORIES_RATE = 10;

/** @returns the new line of the journal */
export async function continueRun(
  harnesses: readonly Harness[],
  options: ContinueOptions,
): Promise<ContinuedRun> {
  const { seed, file, commit, seconds, roundSeconds, damagesDirectories } = options;
  const before = readRuns(file);
  const started = day();
  const own = new Map<string, HarnessRun>();
  const faults: string[] = [];
  let directories = noDirectories(nextDirectory(before, seed));
  const thread = new FuzzThread(harnesses);
  const end = performance.now() + 1000 * seconds;
  const shares = timeShares(harnesses);
  const harnessSeconds = roundSeconds * (damagesDirectories ? 1 - DIRECTORIES_SHARE : 1);
  const earlier = totalOfHarnesses(before);
  const lineSoFar = (): ContinuedRun => ({
    commit,
    date: started === day() ? started : `${started} to ${day()}`,
    node: process.version,
    seed,
    harnesses: Object.fromEntries(own),
    directories,
    faults: [...faults],
  });
  try {
    do {
      for (const { name } of harnesses) {
        const first = nextCase(before, seed, name);
        const run = own.get(name) ?? {
          from: first,
          to: first,
          results: 0,
          refusals: 0,
          crashes: 0,
          seconds: 0,
        };
        const rate = rateOf(run) ?? rateOf(earlier.get(name)) ?? FIRST_RATE;
        const time = harnessSeconds * (shares.get(name) ?? 0);
        const to = run.to + Math.max(1, Math.round(rate * time));
        const { report } = await thread.run({ seed, harness: name, from: run.to, to });
        own.set(name, {
          from: run.from,
          to,
          results: run.results + report.results,
          refusals: run.refusals + report.refusals,
          crashes: run.crashes + report.crashes.length,
          seconds: rounded(run.seconds + report.seconds),
        });
        for (const crash of report.crashes) {
          faults.push(
            `${name} of ${crash.subject}, seed ${crash.seed}: ${crash.reason.split("\n")[0]}; ${options.onCrash(crash)}`,
          );
        }
      }
      if (damagesDirectories) {
        directories = await moreDirectories(directories, options, faults);
      }
      const line = lineSoFar();
      writeRuns(file, [...before, line]);
      options.onRound(line);
    } while (performance.now() < end);
  } finally {
    await thread.close();
  }
  return lineSoFar();
}

async function moreDirectories(
  before: DirectoriesRun,
  { seed, roundSeconds }: ContinueOptions,
  faults: string[],
): Promise<DirectoriesRun> {
  const done = before.to - before.from;
  const rate = before.seconds > 0 ? done / before.seconds : FIRST_DIRECTORIES_RATE;
  const count = Math.max(1, Math.round(rate * roundSeconds * DIRECTORIES_SHARE));
  const used = process.cpuUsage();
  const { faults: found, ...damaged } = await damageDirectories(seed, before.to, before.to + count);
  const { user, system } = process.cpuUsage(used);
  faults.push(...found);
  const { results, kinds, recovered } = damaged;
  const own = {
    from: before.to,
    to: before.to + count,
    results,
    kinds,
    recovered,
    seconds: (user + system) / 1e6,
  };
  const joined = joinDirectories(before, own);
  return { ...joined, seconds: rounded(joined.seconds) };
}

/** Half of the time is divided equally among all harnesses, the other half by their share of the cases. */
function timeShares(harnesses: readonly Harness[]): ReadonlyMap<string, number> {
  const all = harnesses.reduce((sum, { share }) => sum + share, 0);
  return new Map(harnesses.map(({ name, share }) => [name, (share / all + 1 / harnesses.length) / 2]));
}

/** Cases per second. */
function rateOf(run: HarnessRun | undefined): number | undefined {
  return run === undefined || run.seconds === 0 ? undefined : (run.to - run.from) / run.seconds;
}

function day(): string {
  return new Date().toISOString().slice(0, 10);
}

function rounded(seconds: number): number {
  return Math.round(1000 * seconds) / 1000;
}
