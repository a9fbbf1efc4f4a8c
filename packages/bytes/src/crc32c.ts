/**
 * CRC-32C (Castagnoli): reflected polynomial 0x82F63B78, initial value and final xor 0xFFFFFFFF, unmasked
 * (specification 1.9). Slicing by 16: sixteen table look-ups replace sixteen dependent byte steps.
 */

const POLYNOMIAL = 0x82f63b78;
const SLICES = 16;

/** Table `k` (256 entries at `k * 256`) advances a byte over `k` following zero bytes. */
let tables: Int32Array | undefined;

function buildTables(): Int32Array {
  const built = new Int32Array(SLICES * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    }
    built[byte] = crc;
  }
  for (let i = 256; i < built.length; i++) {
    const previous = built[i - 256] as number;
    built[i] = (previous >>> 8) ^ (built[previous & 0xff] as number);
  }
  tables = built;
  return built;
}

/**
 * The CRC-32C of `bytes[start..end)`, as an unsigned 32-bit number. `previous` continues the checksum of the
 * bytes before: `crc32c(b, …, crc32c(a))` equals the checksum of `a` followed by `b`.
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, previous = 0): number {
  const t = tables ?? buildTables();
  let crc = ~previous;
  let i = start;
  for (; i + SLICES <= end; i += SLICES) {
    crc =
      (t[0xf00 + (((bytes[i] as number) ^ crc) & 0xff)] as number) ^
      (t[0xe00 + (((bytes[i + 1] as number) ^ (crc >>> 8)) & 0xff)] as number) ^
      (t[0xd00 + (((bytes[i + 2] as number) ^ (crc >>> 16)) & 0xff)] as number) ^
      (t[0xc00 + ((bytes[i + 3] as number) ^ (crc >>> 24))] as number) ^
      (t[0xb00 + (bytes[i + 4] as number)] as number) ^
      (t[0xa00 + (bytes[i + 5] as number)] as number) ^
      (t[0x900 + (bytes[i + 6] as number)] as number) ^
      (t[0x800 + (bytes[i + 7] as number)] as number) ^
      (t[0x700 + (bytes[i + 8] as number)] as number) ^
      (t[0x600 + (bytes[i + 9] as number)] as number) ^
      (t[0x500 + (bytes[i + 10] as number)] as number) ^
      (t[0x400 + (bytes[i + 11] as number)] as number) ^
      (t[0x300 + (bytes[i + 12] as number)] as number) ^
      (t[0x200 + (bytes[i + 13] as number)] as number) ^
      (t[0x100 + (bytes[i + 14] as number)] as number) ^
      (t[bytes[i + 15] as number] as number);
  }
  for (; i < end; i++) {
    crc = (crc >>> 8) ^ (t[((bytes[i] as number) ^ crc) & 0xff] as number);
  }
  return ~crc >>> 0;
}
