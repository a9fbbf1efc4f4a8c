/**
 * The tables of Zstandard's finite state entropy coding (RFC 8878, 4.1): every state stands for a symbol and for the
 * number of bits to read for the next state.
 */
import type { ByteReader } from "@cfile/bytes";
import { type BackwardBits, bitsAt, highestBit, malformed } from "./zstd-bits.js";

export interface FseTable {
  readonly accuracyLog: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

const FIELD = "Zstandard FSE table";

/**
 * Reads the description of a table.
 *
 * @throws {CFileError} `E_CORRUPT` when it is malformed or runs past the end
 */
export function readFseTable(reader: ByteReader, maxAccuracyLog: number, maxSymbol: number): FseTable {
  const { bytes, position: start, end } = reader;
  const accuracyLog = ((bytes[start] as number) & 15) + 5;
  if (start >= end || accuracyLog > maxAccuracyLog) {
    throw malformed(FIELD, start);
  }
  const counts = new Int16Array(maxSymbol + 1);
  let bit = 4;
  let remaining = (1 << accuracyLog) + 1;
  let threshold = 1 << accuracyLog;
  let width = accuracyLog + 1;
  let symbol = 0;
  while (remaining > 1) {
    // Small values take one bit less.
    const short = 2 * threshold - 1 - remaining;
    let value = bitsAt(bytes, start, bit, width - 1);
    bit += width - 1;
    if (value >= short) {
      value = bitsAt(bytes, start, bit - width + 1, width);
      bit++;
      value -= value >= threshold ? short : 0;
    }
    const count = value - 1;
    if (symbol > maxSymbol || 8 * (end - start) < bit) {
      throw malformed(FIELD, start);
    }
    counts[symbol++] = count;
    remaining -= Math.abs(count);
    if (remaining < 1) {
      throw malformed(FIELD, start);
    }
    for (let more = count === 0 ? 3 : 0; more === 3; ) {
      more = bitsAt(bytes, start, bit, 2);
      bit += 2;
      symbol += more;
      if (symbol > maxSymbol + 1 || 8 * (end - start) < bit) {
        throw malformed(FIELD, start);
      }
    }
    while (remaining < threshold) {
      width--;
      threshold >>>= 1;
    }
  }
  reader.position = start + ((bit + 7) >>> 3);
  return buildFseTable(counts, accuracyLog);
}

/** Builds the table of symbols that occur `counts` times in `2 ** accuracyLog`; -1 stands for less than once. */
export function buildFseTable(counts: ArrayLike<number>, accuracyLog: number): FseTable {
  const size = 1 << accuracyLog;
  const symbols = new Uint8Array(size);
  const next = new Uint16Array(counts.length);
  let high = size - 1;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    const count = counts[symbol] as number;
    if (count === -1) {
      symbols[high--] = symbol;
    }
    next[symbol] = Math.abs(count);
  }
  const step = (size >>> 1) + (size >>> 3) + 3;
  let position = 0;
  for (let symbol = 0; symbol < counts.length; symbol++) {
    for (let i = 0; i < (counts[symbol] as number); i++) {
      symbols[position] = symbol;
      do {
        position = (position + step) & (size - 1);
      } while (position > high);
    }
  }
  const bits = new Uint8Array(size);
  const bases = new Uint16Array(size);
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] as number;
    const occurrence = next[symbol] as number;
    next[symbol] = occurrence + 1;
    const width = accuracyLog - highestBit(occurrence);
    bits[state] = width;
    bases[state] = (occurrence << width) - size;
  }
  return { accuracyLog, symbols, bits, bases };
}

/** Builds the table of one symbol, which takes no bits. */
export function singleSymbolTable(symbol: number): FseTable {
  return buildFseTable([...new Uint8Array(symbol), 1], 0);
}

/** The state after `state`. */
export function nextState(table: FseTable, state: number, bits: BackwardBits): number {
  return (table.bases[state] as number) + bits.read(table.bits[state] as number);
}
