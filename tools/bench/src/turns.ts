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
 * @param contenders return their own time
 * @returns the times of each contender by turn
 */
export async function takeTurns<K extends string>(
  turns: number,
  contenders: Readonly<Record<K, () => Promise<number>>>,
): Promise<Readonly<Record<K, readonly number[]>>> {
  const names = Object.keys(contenders) as K[];
  const times = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<K, number[]>;
  for (let turn = 0; turn < turns; turn++) {
    for (const name of names) {
      times[name].push(await contenders[name]());
    }
  }
  return times;
}
