/** Passes items on unchanged and calls `see` with each before it is passed on, to count rows or to show progress. */
export async function* observed<T>(
  items: AsyncIterable<T>,
  see: (item: T) => void,
): AsyncGenerator<T, void, void> {
  for await (const item of items) {
    see(item);
    yield item;
  }
}
