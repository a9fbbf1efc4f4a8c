// Converts codewords to strings: first to their offsets, which determine the memory for the bytes, then to the bytes.

/**
 * Writes the offsets of the strings of `count` codes, `count + 1` words, to `offsets`. The dictionary has `words` words: word w
 * is bytes `starts[w]` to `starts[w + 1]`. Returns the bytes of all strings, or -1 if a code is invalid, words are out of order
 * or beyond `length`, or the strings take more than `maxBytes` bytes.
 */
export function dictionaryOffsets(
  codes: usize,
  count: usize,
  starts: usize,
  words: u32,
  length: u32,
  maxBytes: i32,
  offsets: usize,
): i32 {
  let previous: u32 = 0;
  for (let word: u32 = 0; word <= words; word++) {
    const start = load<u32>(starts + (<usize>word << 2));
    if (start < previous || start > length) {
      return -1;
    }
    previous = start;
  }
  let total: u64 = 0;
  store<u32>(offsets, 0);
  for (let i: usize = 0; i < count; i++) {
    const code = load<u32>(codes + (i << 2));
    if (code >= words) {
      return -1;
    }
    const at = starts + (<usize>code << 2);
    total += load<u32>(at, 4) - load<u32>(at);
    if (total > <u64>maxBytes) {
      return -1;
    }
    store<u32>(offsets + (i << 2), <u32>total, 4);
  }
  return <i32>total;
}

/** Writes the bytes of the strings to `dst`, and up to 15 past the end. The codes must be valid. */
export function dictionaryValues(codes: usize, count: usize, starts: usize, data: usize, dst: usize): void {
  for (let i: usize = 0; i < count; i++) {
    const at = starts + (<usize>load<u32>(codes + (i << 2)) << 2);
    let from = data + load<u32>(at);
    const end = data + load<u32>(at, 4);
    let to = dst;
    dst += end - from;
    for (; from < end; from += 16, to += 16) {
      v128.store(to, v128.load(from));
    }
  }
}
