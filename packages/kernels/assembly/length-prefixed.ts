// Strings, each after its length, as in PLAIN pages of Parquet.

/**
 * Writes of each string `data[offsets[i]..offsets[i + 1])` its length in four bytes, and the string. Returns the bytes written, or -1
 * when an offset is not between the one before it and `most`. Writes up to 15 bytes too many.
 */
export function lengthPrefixed(data: usize, offsets: usize, most: u32, count: usize, dst: usize): i32 {
  let to = dst;
  let start = load<u32>(offsets);
  for (let i: usize = 0; i < count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    if (end < start || end > most) {
      return -1;
    }
    const length = end - start;
    store<u32>(to, length);
    to += 4;
    const from = data + start;
    if (length <= 32) {
      v128.store(to, v128.load(from));
      if (length > 16) {
        v128.store(to, v128.load(from, 16), 16);
      }
    } else {
      memory.copy(to, from, length);
    }
    to += length;
    start = end;
  }
  return <i32>(to - dst);
}
