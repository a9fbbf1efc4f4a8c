/** Tables for reflected CRCs of 32 bits, sliced. */

/** Table `k` (256 entries at `k * 256`) advances a byte over `k` following zero bytes. */
export function reflectedCrcTables(polynomial: number, slices: number): Int32Array {
  const tables = new Int32Array(slices * 256);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) {
      crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0);
    }
    tables[byte] = crc;
  }
  for (let i = 256; i < tables.length; i++) {
    const previous = tables[i - 256] as number;
    tables[i] = (previous >>> 8) ^ (tables[previous & 0xff] as number);
  }
  return tables;
}
