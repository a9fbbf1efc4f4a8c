/**
 * Copies inside the output of a decoder, from `distance` bytes back: where the copy overlaps what it copies, it
 * repeats it. LZ4 and Snappy both mean this by a match.
 */

/** From these lengths on built-in fills and copies beat a loop. */
const LONG_RUN = 48;
const LONG_MATCH = 256;

/**
 * Writes `length` bytes at `output[to]`. `view` must be a view of all of `output`; `1 <= distance <= to` and
 * `to + length <= output.length` are the caller's to check.
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
    // A run of period 1 to 3 also has a period of 4 to 6, which words can follow.
    match = to - (distance === 3 ? 6 : 4);
  }
  for (; to + 4 <= end; to += 4, match += 4) {
    view.setInt32(to, view.getInt32(match, true), true);
  }
  while (to < end) {
    output[to++] = output[match++] as number;
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

/** Copies all that is there from the match on, which doubles it, until the rest fits. */
function copyLongMatch(output: Uint8Array, to: number, distance: number, length: number): void {
  const match = to - distance;
  const end = to + length;
  while (to < end) {
    const part = Math.min(to - match, end - to);
    output.copyWithin(to, match, match + part);
    to += part;
  }
}
