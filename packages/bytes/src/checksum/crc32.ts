/**
 * CRC-32 as in gzip and zlib: reflected polynomial 0xEDB88320, initial value and final xor 0xFFFFFFFF. Slicing by 4.
 */
import { reflectedCrcTables } from "./crc-tables.js";

const POLYNOMIAL = 0xedb88320;

const TABLES: Int32Array = /* @__PURE__ */ reflectedCrcTables(POLYNOMIAL, 4);

/** The CRC-32 of `bytes[start..end)`, as an unsigned 32-bit number. */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = -1;
  let i = start;
  for (; i + 3 < end; i += 4) {
    crc ^=
      (bytes[i] as number) |
      ((bytes[i + 1] as number) << 8) |
      ((bytes[i + 2] as number) << 16) |
      ((bytes[i + 3] as number) << 24);
    crc =
      (TABLES[0x300 | (crc & 0xff)] as number) ^
      (TABLES[0x200 | ((crc >>> 8) & 0xff)] as number) ^
      (TABLES[0x100 | ((crc >>> 16) & 0xff)] as number) ^
      (TABLES[crc >>> 24] as number);
  }
  for (; i < end; i++) {
    crc = (crc >>> 8) ^ (TABLES[((bytes[i] as number) ^ crc) & 0xff] as number);
  }
  return ~crc >>> 0;
}
