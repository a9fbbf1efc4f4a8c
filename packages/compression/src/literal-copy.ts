/** Copies of literals from the input of a decoder to its output. */

/** From this length on `set` beats a loop. */
const LONG_LITERALS = 96;

/**
 * Writes `length` bytes from `input[from]` to `output[to]`. The views must be of all of their arrays; both ranges are
 * the caller's to check.
 */
export function copyLiterals(
  input: Uint8Array,
  inputView: DataView,
  from: number,
  output: Uint8Array,
  outputView: DataView,
  to: number,
  length: number,
): void {
  if (length >= LONG_LITERALS) {
    output.set(input.subarray(from, from + length), to);
    return;
  }
  const end = from + length;
  for (; from + 4 <= end; from += 4, to += 4) {
    outputView.setInt32(to, inputView.getInt32(from, true), true);
  }
  while (from < end) {
    output[to++] = input[from++] as number;
  }
}
