// Finds matches, for the encoders of LZ4 and Snappy.

// @ts-expect-error: decorator
@inline
export function extendMatch(at: usize, candidate: usize, limit: usize): usize {
  while (at + 8 <= limit) {
    const difference = load<u64>(at) ^ load<u64>(candidate);
    if (difference != 0) {
      return at + (<usize>ctz(difference) >> 3);
    }
    at += 8;
    candidate += 8;
  }
  while (at < limit && load<u8>(at) == load<u8>(candidate)) {
    at++;
    candidate++;
  }
  return at;
}

/**
 * Returns `found`. If that is the `guess`, the processor need not wait for the table: values of a fixed size match at the same distance
 * again and again.
 */
// @ts-expect-error: decorator
@inline
export function likely(guess: usize, found: usize): usize {
  if (found == guess) {
    return guess;
  }
  return found;
}
