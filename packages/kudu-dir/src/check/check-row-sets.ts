/** Row sets shared out among those that check them; what they find is told in order, whoever is done first. */
import type { CheckedRowSet, RowSetChecker, RowSetPlace } from "./check-row-set.js";

/**
 * @param tell called with each result and the number of its place
 * @throws what a checker throws; the others then finish what they are at
 */
export async function checkRowSets(
  places: readonly RowSetPlace[],
  checkers: readonly RowSetChecker[],
  signal: AbortSignal | undefined,
  tell: (result: CheckedRowSet, index: number) => void,
): Promise<void> {
  const results: (CheckedRowSet | undefined)[] = [];
  let told = 0;
  let next = 0;
  const work = async (check: RowSetChecker): Promise<void> => {
    try {
      for (let i = next++; i < places.length; i = next++) {
        signal?.throwIfAborted();
        results[i] = await check(places[i] as RowSetPlace);
        for (let result = results[told]; result !== undefined; result = results[++told]) {
          tell(result, told);
        }
      }
    } catch (error) {
      next = places.length;
      throw error;
    }
  };
  await Promise.all(checkers.map(work));
}
