// Strings, each after its length, as in PLAIN pages of Parquet.

/**
 * Writes each string `data[offsets[i]..offsets[i + 1])` after its length in four bytes. Returns the bytes written, or -1 if an offset
 * is not between its predecessor and `dataEnd`. Writes up to 15 bytes past the end.
 */
export function lengthPrefixed(data: usize, offsets: usize, dataEnd: u32, count: usize, dst: usize): i32 {
  let to = dst;
  let start = load<u32>(offsets);
  for (let i: usize = 0; i < count; i++) {
    const end = load<u32>(offsets + (i << 2), 4);
    if (end < start || end > dataEnd) {
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
