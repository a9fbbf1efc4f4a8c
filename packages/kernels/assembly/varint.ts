// Varints of up to 32 bits.

/** The value that `readVarint` came to. */
export let varint: u32 = 0;

/** Where the varint at `at` ends; 0 when it does not before `end`, or within five bytes. */
export function readVarint(at: usize, end: usize): usize {
  let value: u32 = 0;
  for (let shift: u32 = 0; shift < 35; shift += 7) {
    if (at >= end) {
      return 0;
    }
    const byte = <u32>load<u8>(at++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      varint = value;
      return at;
    }
  }
  return 0;
}
