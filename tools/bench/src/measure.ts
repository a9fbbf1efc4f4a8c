/** Times contenders for one task alternately, and checks every answer. */

import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** One way to do a task. */
export interface Contender<T> {
  readonly name: string;
  readonly run: () => Promise<T> | T;
  /** Reduces the result to a comparable value; not timed. */
  readonly answer: (result: T) => unknown;
  readonly setting?: Setting | undefined;
}

/**
 * Releases objects of the contender, untimed: a heap full of them would slow down garbage collection for the
 * others.
 */
export interface Setting {
  readonly before: () => void;
  readonly after: () => void;
}

export const contender = <T>(
  name: string,
  run: () => Promise<T> | T,
  answer: (result: T) => unknown,
  setting?: Setting,
): Contender<never> => ({ name, run, answer, setting }) as Contender<never>;

export interface Timing {
  readonly contender: string;
  /** Median of the timed runs. */
  readonly milliseconds: number;
  readonly fastest: number;
  readonly runs: number;
}

/** @throws {TypeError} if no measurement has the name */
export function timingOf(timings: readonly Timing[], name: string): Timing {
  const found = timings.find(({ contender }) => contender === name);
  if (found === undefined) {
    throw new TypeError(`no measurement is named "${name}"`);
  }
  return found;
}

export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

const MIN_RUNS = 3;
const MAX_RUNS = 101;
/** Milliseconds of timed runs per contender. */
const TIME_BUDGET = 3000;
/** Milliseconds of untimed runs before the timed ones, because engines compile frequently executed code. */
const WARM_UP = 500;
const MAX_WARM_UP_RUNS = 20;
/** Milliseconds after a forced collection, in which the engine's threads free memory: they would compete with the run. */
const FREEING = 10;
/** Below this effort, times are meaningless, and garbage collection would take most of the time. */
const MIN_EFFORT_FOR_COLLECTING = 0.1;

let collect: (() => void) | undefined;

/** Collects garbage, which would otherwise be collected during the time of the next contender. */
async function collectGarbage(): Promise<void> {
  if (collect === undefined) {
    // Forced collections make the engine discard compiled code that has not run for a while.
    setFlagsFromString("--no-flush-bytecode");
    setFlagsFromString("--expose-gc");
    collect = runInNewContext("gc") as () => void;
  }
  collect();
  await setTimeout(FREEING);
}

/** How contenders are measured. */
export interface MeasureOptions {
  /**
   * Whether garbage is collected before each run. That returns memory to the system, whose new pages then take time. Default `true`.
   */
  readonly collects?: boolean;
}

/**
 * Runs all contenders alternately, after a warm-up of each, so that a slow moment of the machine affects all of
 * them. All answers must equal `expected`.
 * @param effort fraction of the usual time
 */
export async function measure(
  contenders: readonly Contender<never>[],
  expected: unknown,
  effort = 1,
  { collects = true }: MeasureOptions = {},
): Promise<Timing[]> {
  const beforeRun = collects && effort >= MIN_EFFORT_FOR_COLLECTING ? collectGarbage : async () => {};
  for (const contender of contenders) {
    let spent = 0;
    for (let run = 0; run < MAX_WARM_UP_RUNS && spent < WARM_UP * effort; run++) {
      spent += await runOnce(contender, expected, beforeRun);
    }
  }
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const budgetEnd = performance.now() + TIME_BUDGET * effort * contenders.length;
  for (let run = 0; run < MAX_RUNS; run++) {
    for (const contender of contenders) {
      times.get(contender.name)?.push(await runOnce(contender, expected, beforeRun));
    }
    if (run + 1 >= MIN_RUNS && performance.now() > budgetEnd) {
      break;
    }
  }
  return contenders.map(({ name }) => {
    const sorted = (times.get(name) ?? []).sort((a, b) => a - b);
    return {
      contender: name,
      milliseconds: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
      fastest: sorted[0] ?? Number.NaN,
      runs: sorted.length,
    };
  });
}

async function runOnce(
  contender: Contender<never>,
  expected: unknown,
  beforeRun: () => Promise<void>,
): Promise<number> {
  contender.setting?.before();
  await beforeRun();
  const start = performance.now();
  const result = await contender.run();
  const elapsed = performance.now() - start;
  contender.setting?.after();
  const answer = JSON.stringify(contender.answer(result));
  if (answer !== JSON.stringify(expected)) {
    throw new WrongAnswer(`${contender.name}: answer ${answer}, expected ${JSON.stringify(expected)}`);
  }
  return elapsed;
}
