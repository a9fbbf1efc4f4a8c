/** Distributes row sets among checkers and reports the results in order. */
import type { CheckedRowSet, RowSetChecker, RowSetPlace } from "./check-row-set.js";

/**
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
  const work = async (check: RowSetChecker): Promise<void> => {
    try {
      for (let i = next++; i < places.length; i = next++) {
        signal?.throwIfAborted();
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
