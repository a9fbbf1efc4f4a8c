/** Timing of contenders for one task, in turns, with every answer checked. */

/** One way of doing a task. */
export interface Contender<T> {
  readonly name: string;
  readonly run: () => Promise<T> | T;
  /** Reduces the result to something comparable; not timed. */
  readonly answer: (result: T) => unknown;
}

export interface Timing {
  readonly contender: string;
  /** Median of the timed runs. */
  readonly milliseconds: number;
  readonly fastest: number;
  readonly runs: number;
}

export class WrongAnswer extends Error {
  override readonly name = "WrongAnswer";
}

const MAX_RUNS = 9;
const TIME_BUDGET = 6000;

/**
 * Runs all contenders in turns (so that a slow moment of the machine hits all of them) after one warm-up each. All
 * answers must equal `expected`.
 */
export async function measure(contenders: readonly Contender<never>[], expected: unknown): Promise<Timing[]> {
  const times = new Map<string, number[]>(contenders.map(({ name }) => [name, []]));
  const budgetEnd = performance.now() + TIME_BUDGET * contenders.length;
  for (let round = 0; round <= MAX_RUNS; round++) {
    for (const contender of contenders) {
      const elapsed = await runOnce(contender, expected);
      if (round > 0) {
        times.get(contender.name)?.push(elapsed);
      }
    }
    if (round >= 3 && performance.now() > budgetEnd) {
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

async function runOnce(contender: Contender<never>, expected: unknown): Promise<number> {
  globalThis.gc?.();
  const start = performance.now();
  const result = await contender.run();
  const elapsed = performance.now() - start;
  const answer = JSON.stringify(contender.answer(result));
  if (answer !== JSON.stringify(expected)) {
    throw new WrongAnswer(`${contender.name}: answer ${answer}, expected ${JSON.stringify(expected)}`);
  }
  return elapsed;
}
