/**
 * Reflected 32-bit CRCs with initial value and final xor 0xFFFFFFFF, computed by slicing tables. CRC-32, as in gzip and zlib,
 * has the polynomial 0xEDB88320; CRC-32C (Castagnoli, unmasked) has 0x82F63B78 (docs/spec/cfile.md#19-checksum).
 */

/** Module constants, so that engines know their length and skip bounds checks of masked indexes. */
const CRC32_TABLES: Int32Array = /* @__PURE__ */ slicedTables(0xedb88320, 4);
const CRC32C_TABLES: Int32Array = /* @__PURE__ */ slicedTables(0x82f63b78, 16);

/** Table `k` (256 entries at `k * 256`) advances a byte over `k` following zero bytes. */
function slicedTables(polynomial: number, slices: number): Int32Array {
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

/**
 * The CRC-32 of `bytes[start..end)`, as an unsigned 32-bit number.
 *
 * @param previous the checksum of the preceding bytes. Default 0
 */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length, previous = 0): number {
  let crc = ~previous;
  let i = start;
  for (; i + 3 < end; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (CRC32_TABLES[0x300 | (crc & 0xff)] as number) ^
      (CRC32_TABLES[0x200 | ((crc >>> 8) & 0xff)] as number) ^
      (CRC32_TABLES[0x100 | ((crc >>> 16) & 0xff)] as number) ^
      (CRC32_TABLES[crc >>> 24] as number);
  }
  for (; i < end; i++) {
    crc = (crc >>> 8) ^ (CRC32_TABLES[((bytes[i] as number) ^ crc) & 0xff] as number);
  }
  return ~crc >>> 0;
}

/** For shorter input, creating a view of words costs more than it saves. */
const LONG_ENOUGH_FOR_WORDS = 64;

/**
 * The CRC-32C of `bytes[start..end)`, as an unsigned 32-bit number.
 *
 * @param previous the checksum of the preceding bytes. Default 0
 */
export function crc32c(bytes: Uint8Array, start = 0, end = bytes.length, previous = 0): number {
  if (end - start < LONG_ENOUGH_FOR_WORDS) {
    return ~crcOfBytes(bytes, start, end, ~previous) >>> 0;
  }
  const wordsStart = start + (-(bytes.byteOffset + start) & 3);
  const steps = (end - wordsStart) >>> 4;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + wordsStart, 4 * steps);
  const crc = crcOfWords(words, crcOfBytes(bytes, start, wordsStart, ~previous));
  return ~crcOfBytes(bytes, wordsStart + 16 * steps, end, crc) >>> 0;
}

function crcOfBytes(bytes: Uint8Array, start: number, end: number, crc: number): number {
  for (let i = start; i < end; i++) {
    crc = (crc >>> 8) ^ (CRC32C_TABLES[((bytes[i] as number) ^ crc) & 0xff] as number);
  }
  return crc;
}

function crcOfWords(words: Int32Array, previous: number): number {
  let crc = previous;
  for (let i = 0; i + 3 < words.length; i += 4) {
    const a = (words[i] as number) ^ crc;
    const b = words[i + 1] as number;
    const c = words[i + 2] as number;
    const d = words[i + 3] as number;
    // Lookups that depend on the running checksum come last, so that the others do not wait for it.
    crc =
      (CRC32C_TABLES[0xb00 | (b & 0xff)] as number) ^
      (CRC32C_TABLES[0xa00 | ((b >>> 8) & 0xff)] as number) ^
      (CRC32C_TABLES[0x900 | ((b >>> 16) & 0xff)] as number) ^
      (CRC32C_TABLES[0x800 | (b >>> 24)] as number) ^
      ((CRC32C_TABLES[0x700 | (c & 0xff)] as number) ^
        (CRC32C_TABLES[0x600 | ((c >>> 8) & 0xff)] as number) ^
        (CRC32C_TABLES[0x500 | ((c >>> 16) & 0xff)] as number) ^
        (CRC32C_TABLES[0x400 | (c >>> 24)] as number)) ^
      ((CRC32C_TABLES[0x300 | (d & 0xff)] as number) ^
        (CRC32C_TABLES[0x200 | ((d >>> 8) & 0xff)] as number) ^
        (CRC32C_TABLES[0x100 | ((d >>> 16) & 0xff)] as number) ^
        (CRC32C_TABLES[d >>> 24] as number)) ^
      ((CRC32C_TABLES[0xf00 | (a & 0xff)] as number) ^
        (CRC32C_TABLES[0xe00 | ((a >>> 8) & 0xff)] as number) ^
        (CRC32C_TABLES[0xd00 | ((a >>> 16) & 0xff)] as number) ^
        (CRC32C_TABLES[0xc00 | (a >>> 24)] as number));
  }
  return crc;
}
