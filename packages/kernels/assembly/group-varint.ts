// Decodes group varint sequences (docs/spec/cfile.md#13-group-varint and docs/spec/cfile.md#14-group-varint-sequence): a selector
// byte with two bits per value, and four values of one to four bytes. The selector determines a shuffle that moves the values
// to their lanes.

// For each selector: the source bytes of the lanes (128 and above give zero), and the length of the values.
const SHUFFLES: usize = memory.data(256 * 16, 16);
const LENGTHS: usize = memory.data(256);

let built = false;

function build(): void {
  for (let selector: u32 = 0; selector < 256; selector++) {
    let from: u32 = 0;
    for (let value: u32 = 0; value < 4; value++) {
      const length = ((selector >>> (6 - 2 * value)) & 3) + 1;
      for (let byte: u32 = 0; byte < 4; byte++) {
        store<u8>(SHUFFLES + 16 * selector + 4 * value + byte, byte < length ? <u8>(from + byte) : 0x80);
      }
      from += length;
    }
    store<u8>(LENGTHS + selector, <u8>from);
  }
  built = true;
}

/**
 * Decodes the offsets of `count` values at `src..srcEnd` to `out`, and writes `last` after them. Returns 0, or -1 if the bytes are
 * truncated, an offset is less than its predecessor, the first is less than `first`, or one is greater than `last`. Writes up to
 * three words past the offsets.
 */
export function readOffsets(src: usize, srcEnd: usize, count: usize, first: u32, last: u32, out: usize): i32 {
  if (!built) {
    build();
  }
  const end = out + (count << 2);
  let to = out;
  // Selectors rarely change: length and shuffle of the previous one are reused without waiting for the next selector.
  let selector: usize = 0;
  let length = <usize>load<u8>(LENGTHS);
  let shuffle = v128.load(SHUFFLES);
  let before = i32x4.splat(first);
  let descents = i64x2.splat(0);
  for (; to < end; to += 16) {
    if (src >= srcEnd) {
      return -1;
    }
    const next = <usize>load<u8>(src++);
    if (next != selector) {
      selector = next;
      length = <usize>load<u8>(LENGTHS + selector);
      shuffle = v128.load(SHUFFLES + (selector << 4));
    }
    if (length > srcEnd - src) {
      return -1;
    }
    const four = i8x16.swizzle(v128.load(src), shuffle);
    v128.store(to, four);
    if (to + 16 <= end) {
      descents = v128.or(descents, i32x4.lt_u(four, v128.shuffle<u32>(before, four, 3, 4, 5, 6)));
    }
    before = four;
    src += length;
  }
  // The padding of the last group is not checked.
  let descends = v128.any_true(descents);
  const rest = end - ((count & 3) << 2);
  let previous = rest > out ? load<u32>(rest - 4) : first;
  store<u32>(end, last);
  for (to = rest; to <= end; to += 4) {
    const offset = load<u32>(to);
    descends = descends || offset < previous;
    previous = offset;
  }
  return descends ? -1 : 0;
}
