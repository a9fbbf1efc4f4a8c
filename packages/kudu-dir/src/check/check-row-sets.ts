/** Distributes row sets among checkers and reports the results in order. */
import type { CheckedRowSet, RowSetChecker, RowSetPlace } from "./check-row-set.js";

/**
 * @param checkers the last row sets are left to the first checkers: number `n` (from 0) takes none if fewer than `n` remain. Checkers
 *   that share a thread would otherwise finish them late, while other threads have no work
 * @param report called with each result and its index in `places`
 * @throws what a checker throws; the other checkers then finish their current row set
 */
export async function checkRowSets(
  places: readonly RowSetPlace[],
  checkers: readonly RowSetChecker[],
  signal: AbortSignal | undefined,
  report: (result: CheckedRowSet, index: number) => void,
): Promise<void> {
  const results: (CheckedRowSet | undefined)[] = [];
  let reported = 0;
  let next = 0;
  const work = async (check: RowSetChecker, number: number): Promise<void> => {
    try {
      while (places.length - next >= Math.max(1, number)) {
        signal?.throwIfAborted();
        const i = next++;
        results[i] = await check(places[i] as RowSetPlace);
        for (let result = results[reported]; result !== undefined; result = results[++reported]) {
          report(result, reported);
        }
      }
    } catch (error) {
      next = places.length;
      throw error;
    }
  };
  await Promise.all(checkers.map(work));
}
