// Encodes group varint sequences (docs/spec/cfile.md#13-group-varint and docs/spec/cfile.md#14-group-varint-sequence): the selector
// determines a shuffle that packs the significant bytes.

// For each selector: the positions of the significant bytes in four words (128 and above give zero), and their number.
const SHUFFLES: usize = memory.data(256 * 16, 16);
const LENGTHS: usize = memory.data(256);

let built = false;

function build(): void {
  for (let selector: u32 = 0; selector < 256; selector++) {
    const shuffle = SHUFFLES + 16 * selector;
    memory.fill(shuffle, 0x80, 16);
    let to: usize = 0;
    for (let value: u32 = 0; value < 4; value++) {
      const length = ((selector >>> (6 - 2 * value)) & 3) + 1;
      for (let byte: u32 = 0; byte < length; byte++) {
        store<u8>(shuffle + to++, <u8>(4 * value + byte));
      }
    }
    store<u8>(LENGTHS + selector, <u8>to);
  }
  built = true;
}

// Length of a value in bytes, minus one.
// @ts-expect-error: decorator
@inline
function lengthMinusOne(value: u32): u32 {
  return (31 - clz(value | 1)) >>> 3;
}

/** Encodes the `count` words at `src` to `dst` and returns the length. Writes up to 15 bytes past the end, and zeros after the words. */
export function writeOffsets(src: usize, count: usize, dst: usize): usize {
  if (!built) {
    build();
  }
  const end = src + (count << 2);
  v128.store(end, i64x2.splat(0));
  let out = dst;
  for (; src < end; src += 16) {
    const selector =
      (lengthMinusOne(load<u32>(src)) << 6) |
      (lengthMinusOne(load<u32>(src, 4)) << 4) |
      (lengthMinusOne(load<u32>(src, 8)) << 2) |
      lengthMinusOne(load<u32>(src, 12));
    store<u8>(out, <u8>selector);
    v128.store(out, i8x16.swizzle(v128.load(src), v128.load(SHUFFLES + (<usize>selector << 4))), 1);
    out += 1 + <usize>load<u8>(LENGTHS + selector);
  }
  return out - dst;
}
