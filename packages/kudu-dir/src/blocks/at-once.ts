/** Works on several items at a time. */

const AT_ONCE = 8;

/**
 * The results of `work` in the order of the items. After a failure, no further items are started.
 *
 * @param atOnce maximum number of items in progress
 */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
  atOnce = AT_ONCE,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const rest = items.entries();
  let hasFailed = false;
  const worker = async (): Promise<void> => {
    for (const [i, item] of rest) {
      if (hasFailed) {
        return;
      }
      try {
        results[i] = await work(item);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return results;
}
