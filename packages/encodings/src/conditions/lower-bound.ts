/**
 * The first position in `0 .. count - 1` for which `isBefore` is false, or `count`: the search behind every `seek`
 * that can look at values in any order. `isBefore` must be true up to some position and false from there on.
 */
export function lowerBound(count: number, isBefore: (position: number) => boolean): number {
  let low = 0;
  let high = count;
  while (low < high) {
    const middle = low + Math.floor((high - low) / 2);
    if (isBefore(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
