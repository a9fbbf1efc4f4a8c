/**
 * CRC-32C (Castagnoli): reflected polynomial 0x82F63B78, initial value and final xor 0xFFFFFFFF, unmasked
 * (docs/spec/cfile.md#19-checksum). Slicing by 16 over 32-bit words: sixteen table look-ups replace sixteen dependent byte
 * steps.
 */
import { reflectedCrcTables } from "./crc-tables.js";

const POLYNOMIAL = 0x82f63b78;
const SLICES = 16;

/** A constant of the module, so that engines know its length and drop the bounds checks of masked indices. */
const TABLES: Int32Array = /* @__PURE__ */ reflectedCrcTables(POLYNOMIAL, SLICES);

/** From this length on a view of words pays. */
const LONG_ENOUGH_FOR_WORDS = 64;

/**
 * The CRC-32C of `bytes[start..end)`, as an unsigned 32-bit number. `previous` continues the checksum of the
 * bytes before: `crc32c(b, …, crc32c(a))` equals the checksum of `a` followed by `b`.
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
    crc = (crc >>> 8) ^ (TABLES[((bytes[i] as number) ^ crc) & 0xff] as number);
  }
  return crc;
}

/** Little-endian words, a multiple of four of them. */
function crcOfWords(words: Int32Array, previous: number): number {
  let crc = previous;
  for (let i = 0; i + 3 < words.length; i += 4) {
    const a = (words[i] as number) ^ crc;
    const b = words[i + 1] as number;
    const c = words[i + 2] as number;
    const d = words[i + 3] as number;
    // What depends on the checksum so far comes last: the rest need not wait for it.
    crc =
      (TABLES[0xb00 | (b & 0xff)] as number) ^
      (TABLES[0xa00 | ((b >>> 8) & 0xff)] as number) ^
      (TABLES[0x900 | ((b >>> 16) & 0xff)] as number) ^
      (TABLES[0x800 | (b >>> 24)] as number) ^
      ((TABLES[0x700 | (c & 0xff)] as number) ^
        (TABLES[0x600 | ((c >>> 8) & 0xff)] as number) ^
        (TABLES[0x500 | ((c >>> 16) & 0xff)] as number) ^
        (TABLES[0x400 | (c >>> 24)] as number)) ^
      ((TABLES[0x300 | (d & 0xff)] as number) ^
        (TABLES[0x200 | ((d >>> 8) & 0xff)] as number) ^
        (TABLES[0x100 | ((d >>> 16) & 0xff)] as number) ^
        (TABLES[d >>> 24] as number)) ^
      ((TABLES[0xf00 | (a & 0xff)] as number) ^
        (TABLES[0xe00 | ((a >>> 8) & 0xff)] as number) ^
        (TABLES[0xd00 | ((a >>> 16) & 0xff)] as number) ^
        (TABLES[0xc00 | (a >>> 24)] as number));
  }
  return crc;
}
