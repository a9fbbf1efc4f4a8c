// CRC-32C (Castagnoli), slicing by 16 over 64-bit words. Table k, 256 words at k KiB, advances a byte over k following
// zero bytes.
const SLICES: u32 = 16;
const TABLES: usize = memory.data(16384, 16);

let built = false;

function build(): void {
  for (let byte: u32 = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
    }
    store<u32>(TABLES + (byte << 2), crc);
  }
  for (let i: u32 = 256; i < SLICES * 256; i++) {
    const previous = load<u32>(TABLES + ((i - 256) << 2));
    store<u32>(TABLES + (i << 2), (previous >>> 8) ^ load<u32>(TABLES + ((previous & 255) << 2)));
  }
  built = true;
}

// The entry of a table for the byte of `word` at `shift`.
// @ts-expect-error: decorator
@inline
function entry(slice: u32, word: u64, shift: u64): u32 {
  return load<u32>(TABLES + <usize>(slice << 10) + ((<usize>(word >> shift) & 255) << 2));
}

/** The checksum of `length` bytes at `start`, continuing `previous`. */
export function crc32c(start: usize, length: usize, previous: u32): u32 {
  if (!built) {
    build();
  }
  let crc = ~previous;
  let at = start;
  const end = start + length;
  for (; at + 16 <= end; at += 16) {
    const low = load<u64>(at) ^ <u64>crc;
    const high = load<u64>(at, 8);
    crc =
      entry(7, high, 0) ^
      entry(6, high, 8) ^
      entry(5, high, 16) ^
      entry(4, high, 24) ^
      (entry(3, high, 32) ^ entry(2, high, 40) ^ entry(1, high, 48) ^ entry(0, high, 56)) ^
      (entry(11, low, 32) ^ entry(10, low, 40) ^ entry(9, low, 48) ^ entry(8, low, 56)) ^
      (entry(15, low, 0) ^ entry(14, low, 8) ^ entry(13, low, 16) ^ entry(12, low, 24));
  }
  for (; at < end; at++) {
    crc = (crc >>> 8) ^ load<u32>(TABLES + (((<usize>crc ^ <usize>load<u8>(at)) & 255) << 2));
  }
  return ~crc;
}
