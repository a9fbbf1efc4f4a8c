/** The sequences of LZ4 and Snappy: literals, and matches of earlier output. A match that overlaps its own output repeats it. */

/** Minimum lengths at which `set`, `fill` and `copyWithin` are faster than a loop. */
export const LONG_LITERALS = 96;
const LONG_PUT_LITERALS = 48;
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

/** Copies `src[from..end)` to `dst[to]`, for encoders, which need no views; returns the end in `dst`. */
export function putLiterals(src: Uint8Array, from: number, end: number, dst: Uint8Array, to: number): number {
  if (end - from >= LONG_PUT_LITERALS) {
    dst.set(src.subarray(from, end), to);
    return to + end - from;
  }
  while (from < end) {
    dst[to++] = src[from++] as number;
  }
  return to;
}

/** The end of a match, at most `limit`: the bytes at `position` and at `candidate` are equal up to there. */
export function matchEnd(view: DataView, position: number, candidate: number, limit: number): number {
  while (position + 4 <= limit) {
    const difference = view.getInt32(position, true) ^ view.getInt32(candidate, true);
    if (difference !== 0) {
      return position + ((31 - Math.clz32(difference & -difference)) >>> 3);
    }
    position += 4;
    candidate += 4;
  }
  while (position < limit && view.getUint8(position) === view.getUint8(candidate)) {
    position++;
    candidate++;
  }
  return position;
}

/**
 * Copies a match to `out[to]`; the caller checks `1 <= distance <= to` and `to + size <= out.length`.
 *
 * @param view all of `out`
 */
export function copyMatch(out: Uint8Array, view: DataView, to: number, distance: number, size: number): void {
  if (size >= LONG_RUN && isRun(out, to, distance)) {
    out.fill(out[to - 1] as number, to, to + size);
    return;
  }
  if (size >= LONG_MATCH) {
    copyLongMatch(out, to, distance, size);
    return;
  }
  const end = to + size;
  let match = to - distance;
  if (distance < 4 && size >= 4) {
    for (let i = 0; i < 4; i++) {
      out[to++] = out[match++] as number;
    }
    // A run of period 1 to 3 also has a period of 4 or 6, which is long enough to copy whole words.
    match = to - (distance === 3 ? 6 : 4);
  }
  for (; to + 4 <= end; to += 4, match += 4) {
    view.setInt32(to, view.getInt32(match, true), true);
  }
  while (to < end) {
    out[to++] = out[match++] as number;
  }
}

/** Copies all output since the start of the match, doubling its length each time, until the end. */
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
