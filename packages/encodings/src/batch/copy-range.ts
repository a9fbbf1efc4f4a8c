/** Copies between byte arrays, for ranges so short that creating a view would cost more than the copy. */

/** Above this length, a view and `set` are faster than a loop. */
const MAX_LOOP_LENGTH = 48;

/** Copies `source[start..end)` to `target` at `position`. */
export function copyRange(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  position: number,
): void {
  if (end - start > MAX_LOOP_LENGTH) {
    target.set(source.subarray(start, end), position);
    return;
  }
  while (start < end) {
    target[position++] = source[start++] as number;
  }
}

/** A copy of `source[start..end)`. */
export function copyOf(source: Uint8Array, start: number, end: number): Uint8Array {
  const copy = new Uint8Array(end - start);
  copyRange(source, start, end, copy, 0);
  return copy;
}
