/**
 * Groups consecutive units of work by size. If no unit is larger than the target and the sum is at least half of it, each group has
 * 0.5 to 2 times the target.
 *
 * @param sizes sizes of the units, none negative
 * @returns the end index (exclusive) of each group, ascending; the last is the number of units
 */
export function groupEnds(sizes: ArrayLike<number>, target: number): number[] {
  const ends: number[] = [];
  let size = 0;
  let last = 0;
  for (let i = 0; i < sizes.length; i++) {
    const unit = sizes[i] as number;
    // A group of sufficient size ends before a unit that would make it too large.
    if (size >= target / 2 && size + unit > 2 * target) {
      ends.push(i);
      last = size;
      size = 0;
    }
    size += unit;
    if (size >= target) {
      ends.push(i + 1);
      last = size;
      size = 0;
    }
  }
  if (ends.at(-1) === sizes.length || sizes.length === 0) {
    return ends;
  }
  const end = ends.at(-1);
  if (size < target / 2 && end !== undefined) {
    ends.pop();
    if (last + size > 2 * target) {
      const border = middleBorder(sizes, ends.at(-1) ?? 0, (last + size) / 2);
      if (border > (ends.at(-1) ?? 0) && border < sizes.length) {
        ends.push(border);
      }
    }
  }
  ends.push(sizes.length);
  return ends;
}

/** The boundary after `from` where the sum of sizes is closest to `half`. */
function middleBorder(sizes: ArrayLike<number>, from: number, half: number): number {
  let size = 0;
  let i = from;
  while (i < sizes.length && size + (sizes[i] as number) / 2 < half) {
    size += sizes[i++] as number;
  }
  return i;
}
