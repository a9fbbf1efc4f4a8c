/**
 * Contenders that take turns. The speed of a virtual machine changes from second to second, so only times of the same turn are compared,
 * and a ratio is the median of those within a turn.
 */

export function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}

/** The median, over turns, of their time divided by ours. */
export function medianRatio(theirs: readonly number[], ours: readonly number[]): number {
  return median(theirs.map((time, turn) => time / (ours[turn] ?? Number.NaN)));
}

/**
 * Runs each contender once per turn.
 *
 * @param contenders return their own time, or a report of the run
 * @returns the results of each contender by turn
 */
export async function takeTurns<K extends string, T = number>(
  turns: number,
  contenders: Readonly<Record<K, () => Promise<T>>>,
): Promise<Readonly<Record<K, readonly T[]>>> {
  const names = Object.keys(contenders) as K[];
  const results = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, T[]>;
  for (let turn = 0; turn < turns; turn++) {
    for (const name of names) {
      results[name].push(await contenders[name]());
    }
  }
  return results;
}

/** The milliseconds of a run. */
export async function timeOf(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

/** The times of reports by turn. */
export function timesOf(reports: readonly { readonly milliseconds: number }[]): number[] {
  return reports.map(({ milliseconds }) => milliseconds);
}
