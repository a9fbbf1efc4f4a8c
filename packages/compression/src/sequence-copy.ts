/**
 * The two copies that LZ4 and Snappy decoders make: literals from the input, and matches from earlier output. A match that
 * overlaps its own output repeats it.
 */

/** From these lengths on, built-in fills and copies are faster than a loop. */
export const LONG_LITERALS = 96;
const LONG_APPENDED_LITERALS = 48;
const LONG_RUN = 48;
const LONG_MATCH = 256;

/** Copies `length` bytes, fewer than `LONG_LITERALS`, from `input` to `output`; the caller checks both ranges. */
export function copyLiterals(
  input: DataView,
  from: number,
  output: DataView,
  to: number,
  length: number,
): void {
  const end = from + length;
  for (; from + 4 <= end; from += 4, to += 4) {
    output.setInt32(to, input.getInt32(from, true), true);
  }
  while (from < end) {
    output.setUint8(to++, input.getUint8(from++));
  }
}

/** Copies `input[from..end)` to `output[to]`, for encoders, which need no views; returns where it ends in the output. */
export function appendLiterals(
  input: Uint8Array,
  from: number,
  end: number,
  output: Uint8Array,
  to: number,
): number {
  if (end - from >= LONG_APPENDED_LITERALS) {
    output.set(input.subarray(from, end), to);
    return to + end - from;
  }
  while (from < end) {
    output[to++] = input[from++] as number;
  }
  return to;
}

/**
 * Copies a match to `output[to]`; the caller checks `1 <= distance <= to` and `to + length <= output.length`.
 *
 * @param view all of `output`
 */
export function copyMatch(
  output: Uint8Array,
  view: DataView,
  to: number,
  distance: number,
  length: number,
): void {
  if (length >= LONG_RUN && isRun(output, to, distance)) {
    output.fill(output[to - 1] as number, to, to + length);
    return;
  }
  if (length >= LONG_MATCH) {
    copyLongMatch(output, to, distance, length);
    return;
  }
  const end = to + length;
  let match = to - distance;
  if (distance < 4 && length >= 4) {
    for (let i = 0; i < 4; i++) {
      output[to++] = output[match++] as number;
    }
    // A run of period 1 to 3 also has a period of 4 or 6, which is long enough to copy whole words.
    match = to - (distance === 3 ? 6 : 4);
  }
  for (; to + 4 <= end; to += 4, match += 4) {
    view.setInt32(to, view.getInt32(match, true), true);
  }
  while (to < end) {
    output[to++] = output[match++] as number;
  }
}

/** Copies all output from the match on, which doubles it, until the rest fits. */
function copyLongMatch(output: Uint8Array, to: number, distance: number, length: number): void {
  const match = to - distance;
  const end = to + length;
  while (to < end) {
    const part = Math.min(to - match, end - to);
    output.copyWithin(to, match, match + part);
    to += part;
  }
}

/** Whether a match of a small distance repeats one byte: encoders often find runs at distance 2 or 3. */
function isRun(output: Uint8Array, to: number, distance: number): boolean {
  if (distance > 3) {
    return false;
  }
  const byte = output[to - 1];
  return (distance < 2 || output[to - 2] === byte) && (distance < 3 || output[to - 3] === byte);
}
