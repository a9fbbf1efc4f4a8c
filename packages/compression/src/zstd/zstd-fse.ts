/**
 * The tables of Zstandard's finite state entropy coding (RFC 8878, 4.1): every state stands for a symbol and says how
 * many bits to read for the next state.
 */
import { corrupt } from "@cfile/bytes";
import { type BackwardBits, bitsAt, highestBit } from "./zstd-bits.js";

export interface FseTable {
  readonly accuracyLog: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly bases: Uint16Array;
}

/** A table and the position behind its description. */
export interface ReadFseTable {
  readonly table: FseTable;
  readonly end: number;
}

const FIELD = "Zstandard FSE table";

/**
 * Reads the description of a table at `bytes[start..end)`.
 *
 * @throws CFileError `E_CORRUPT` when it is malformed or runs past `end`
 */
export function readFseTable(
  bytes: Uint8Array,
  start: number,
  end: number,
  mostAccuracyLog: number,
  mostSymbol: number,
): ReadFseTable {
  const accuracyLog = ((bytes[start] as number) & 15) + 5;
  if (start >= end || accuracyLog > mostAccuracyLog) {
    throw malformed(start);
  }
  const counts = new Int16Array(mostSymbol + 1);
  let bit = 4;
  let remaining = (1 << accuracyLog) + 1;
  let threshold = 1 << accuracyLog;
  let width = accuracyLog + 1;
  let symbol = 0;
  while (remaining > 1) {
    // Small values take a bit less.
    const short = 2 * threshold - 1 - remaining;
    let value = bitsAt(bytes, start, bit, width - 1);
    if (value < short) {
      bit += width - 1;
    } else {
      value = bitsAt(bytes, start, bit, width);
      bit += width;
      if (value >= threshold) {
        value -= short;
      }
    }
    const count = value - 1;
    if (symbol > mostSymbol || 8 * (end - start) < bit) {
      throw malformed(start);
    }
    counts[symbol++] = count;
    remaining -= Math.abs(count);
    if (remaining < 1) {
      throw malformed(start);
    }
    if (count === 0) {
      let more = 3;
      while (more === 3) {
        more = bitsAt(bytes, start, bit, 2);
        bit += 2;
        symbol += more;
        if (symbol > mostSymbol + 1 || 8 * (end - start) < bit) {
          throw malformed(start);
        }
      }
    }
    while (remaining < threshold) {
      width--;
      threshold >>>= 1;
    }
  }
  return { table: buildFseTable(counts, accuracyLog), end: start + ((bit + 7) >>> 3) };
}

/** The table for symbols that occur `counts` times among `2 ** accuracyLog`; -1 stands for less than once. */
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

/** The table of one symbol, which takes no bits. */
export function singleSymbolTable(symbol: number): FseTable {
  return {
    accuracyLog: 0,
    symbols: Uint8Array.of(symbol),
    bits: new Uint8Array(1),
    bases: new Uint16Array(1),
  };
}

/** The state after `state`. */
export function nextState(table: FseTable, state: number, bits: BackwardBits): number {
  return (table.bases[state] as number) + bits.read(table.bits[state] as number);
}

function malformed(offset: number) {
  return corrupt("an FSE table is malformed", { offset, field: FIELD });
}
