/** Time limits in tests: other tests may keep the machine busy. */

const PATIENCE_MILLISECONDS = 20_000;
const MIN_RUNS = 4;

/**
 * The measured times until one is below the limit: one undisturbed run shows what the code can do. Gives up after `MIN_RUNS` runs and
 * `PATIENCE_MILLISECONDS`.
 */
export async function timesUntilBelow(limit: number, measure: () => Promise<number>): Promise<number[]> {
  const started = performance.now();
  const times: number[] = [];
  do {
    times.push(await measure());
  } while (
    Math.min(...times) >= limit &&
    (times.length < MIN_RUNS || performance.now() - started < PATIENCE_MILLISECONDS)
  );
  return times;
}
