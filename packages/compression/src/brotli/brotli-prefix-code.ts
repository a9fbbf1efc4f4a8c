/**
 * The prefix codes of Brotli (RFC 7932, 3). A description of a code starts with two bits: 1 for a list of one to four symbols, otherwise
 * the number of omitted lengths of the code-length code. Codes of a length ascend with their symbols.
 */
import type { BrotliBits } from "./brotli-bits.js";

const MAX_LENGTH = 15;
/** Codes of up to this many bits are found with one lookup. */
const ROOT_BITS = 9;
const ROOT_SIZE = 1 << ROOT_BITS;
/** Order in which the lengths of the code-length code are stored. */
const LENGTH_ORDER = [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
/** The stored length by the next four bits, and the number of bits that each length takes. */
const LENGTH_BY_BITS = [0, 4, 3, 2, 0, 4, 3, 1, 0, 4, 3, 2, 0, 4, 3, 5] as const;
const BITS_OF_LENGTH = [2, 4, 3, 2, 2, 4] as const;
/** Lengths of the codes of one to four listed symbols, and of four symbols with different lengths. */
const LISTED_LENGTHS = [[1], [1, 1], [1, 2, 2], [2, 2, 2, 2], [1, 2, 3, 3]] as const;
const REPEAT_PREVIOUS = 16;
const LENGTH_SYMBOLS = 18;

/** A prefix code that can be decoded. */
export class PrefixCode {
  /** By the next bits: symbol * 16 + length of its code; 0xffff for longer codes. */
  private readonly root = new Uint16Array(ROOT_SIZE).fill(0xffff);
  private readonly counts = new Uint16Array(MAX_LENGTH + 1);
  /** Symbols by code. */
  private readonly sorted: Uint16Array;

  /** @param lengths of the codes of all symbols, 0 for symbols without a code; they fill the space of codes, or there is one symbol */
  constructor(lengths: Uint8Array) {
    for (const length of lengths) {
      this.counts[length] = (this.counts[length] as number) + 1;
    }
    this.counts[0] = 0;
    const starts = new Uint16Array(MAX_LENGTH + 2);
    for (let length = 1; length <= MAX_LENGTH; length++) {
      starts[length + 1] = (starts[length] as number) + (this.counts[length] as number);
    }
    this.sorted = new Uint16Array(starts[MAX_LENGTH + 1] as number);
    for (const [symbol, length] of lengths.entries()) {
      if (length > 0) {
        const at = starts[length] as number;
        starts[length] = at + 1;
        this.sorted[at] = symbol;
      }
    }
    if (this.sorted.length === 1) {
      this.root.fill((this.sorted[0] as number) << 4);
    } else {
      this.fillRoot();
    }
  }

  /** @throws {CFileError} `E_TRUNCATED` */
  read(bits: BrotliBits): number {
    const next = bits.peek(MAX_LENGTH);
    const entry = this.root[next & (ROOT_SIZE - 1)] as number;
    if (entry !== 0xffff) {
      bits.drop(entry & 15);
      return entry >>> 4;
    }
    let code = 0;
    let first = 0;
    let index = 0;
    for (let length = 1; ; length++) {
      code |= (next >>> (length - 1)) & 1;
      const count = this.counts[length] as number;
      if (code - first < count || length === MAX_LENGTH) {
        bits.drop(length);
        return this.sorted[index + code - first] as number;
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
  }

  private fillRoot(): void {
    let code = 0;
    let index = 0;
    for (let length = 1; length <= ROOT_BITS; length++, code <<= 1) {
      for (let i = 0; i < (this.counts[length] as number); i++, code++, index++) {
        const entry = ((this.sorted[index] as number) << 4) | length;
        for (let at = reversed(code, length); at < ROOT_SIZE; at += 1 << length) {
          this.root[at] = entry;
        }
      }
    }
  }
}

/** The bits of a code in reverse order. */
function reversed(code: number, length: number): number {
  let result = 0;
  for (let i = 0; i < length; i++) {
    result = (result << 1) | ((code >>> i) & 1);
  }
  return result;
}

/** @throws {CFileError} `E_TRUNCATED`, `E_CORRUPT` */
export function readPrefixCode(bits: BrotliBits, symbols: number): PrefixCode {
  const skipped = bits.read(2);
  const lengths = new Uint8Array(symbols);
  if (skipped === 1) {
    readListedSymbols(bits, lengths);
  } else {
    readLengths(bits, readLengthCode(bits, skipped), lengths);
  }
  return new PrefixCode(lengths);
}

/** One to four symbols, whose number determines the lengths. */
function readListedSymbols(bits: BrotliBits, lengths: Uint8Array): void {
  const count = bits.read(2) + 1;
  const width = 32 - Math.clz32(lengths.length - 1);
  const symbols = Array.from({ length: count }, () => bits.read(width));
  if (new Set(symbols).size < count || symbols.some((symbol) => symbol >= lengths.length)) {
    throw bits.malformed("symbols of a prefix code");
  }
  const isUneven = count === 4 && bits.read(1) === 1;
  const listed = LISTED_LENGTHS[isUneven ? count : count - 1] as readonly number[];
  for (const [i, symbol] of symbols.entries()) {
    lengths[symbol] = listed[i] as number;
  }
}

/** The code of the lengths of the codes. */
function readLengthCode(bits: BrotliBits, skipped: number): PrefixCode {
  const lengths = new Uint8Array(LENGTH_SYMBOLS);
  let space = 32;
  let used = 0;
  for (const symbol of LENGTH_ORDER.slice(skipped)) {
    if (space <= 0) {
      break;
    }
    const length = LENGTH_BY_BITS[bits.peek(4)] as number;
    bits.drop(BITS_OF_LENGTH[length] as number);
    lengths[symbol] = length;
    if (length > 0) {
      space -= 32 >>> length;
      used++;
    }
  }
  if (space !== 0 && used !== 1) {
    throw bits.malformed("lengths of the code-length code");
  }
  return new PrefixCode(lengths);
}

function readLengths(bits: BrotliBits, code: PrefixCode, lengths: Uint8Array): void {
  let space = 1 << MAX_LENGTH;
  let previous = 8;
  let repeated = 0;
  /** Length and count of the previous repetition, which the next one can extend. */
  let [length, count] = [-1, 0];
  let symbol = 0;
  while (symbol < lengths.length && space > 0) {
    const read = code.read(bits);
    if (read < REPEAT_PREVIOUS) {
      [length, count] = [-1, 0];
      lengths[symbol++] = read;
      previous = read === 0 ? previous : read;
      space -= read === 0 ? 0 : (1 << MAX_LENGTH) >>> read;
      continue;
    }
    repeated = read === REPEAT_PREVIOUS ? previous : 0;
    const extraBits = read === REPEAT_PREVIOUS ? 2 : 3;
    const before = length === repeated ? count : 0;
    count = (before === 0 ? 0 : (before - 2) << extraBits) + bits.read(extraBits) + 3;
    length = repeated;
    const end = symbol + count - before;
    if (end > lengths.length) {
      throw bits.malformed("repetition of a code length");
    }
    lengths.fill(repeated, symbol, end);
    space -= repeated === 0 ? 0 : (end - symbol) << (MAX_LENGTH - repeated);
    symbol = end;
  }
  if (space !== 0) {
    throw bits.malformed("lengths of a prefix code");
  }
}
