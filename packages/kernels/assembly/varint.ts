// Reads varints of up to 32 bits.

/** The value that `readVarint` read. */
export let varint: u32 = 0;

/** Reads the varint at `at`; returns its end, or 0 if it does not end before `end` and within five bytes. */
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
