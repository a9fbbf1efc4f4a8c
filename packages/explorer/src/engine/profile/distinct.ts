/** The number of distinct values: exact up to a limit, then an estimate (HyperLogLog, 4096 registers: about 1.6 %). */

const PRECISION = 12;
const REGISTERS = 1 << PRECISION;
/** Maximum number of hashes that are counted exactly. */
const MAX_EXACT = 1000;

export class DistinctCount {
  private readonly registers = new Uint8Array(REGISTERS);
  private exact: Set<number> | undefined = new Set();

  /** A value, as two 32-bit hashes. */
  add(high: number, low: number): void {
    const register = high >>> (32 - PRECISION);
    const rank = Math.clz32(low) + 1;
    if (rank > (this.registers[register] ?? 0)) {
      this.registers[register] = rank;
    }
    if (this.exact !== undefined) {
      this.exact.add(high * 2 ** 21 + (low >>> 11));
      if (this.exact.size > MAX_EXACT) {
        this.exact = undefined;
      }
    }
  }

  /** A 64-bit value. */
  addWords(low: number, high: number): void {
    this.add(mix(low ^ Math.imul(high, 0x9e3779b1)), mix(Math.imul(low, 0x85ebca6b) + high + 0x7f4a7c15));
  }

  addBytes(bytes: Uint8Array, start: number, end: number): void {
    let first = 0x811c9dc5;
    let second = 0x9747b28c;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      first = Math.imul(first ^ byte, 0x01000193);
      second = Math.imul(second + byte, 0x5bd1e995);
      second ^= second >>> 15;
    }
    this.add(mix(first ^ second), mix(second + (end - start)));
  }

  get isExact(): boolean {
    return this.exact !== undefined;
  }

  count(): number {
    if (this.exact !== undefined) {
      return this.exact.size;
    }
    let sum = 0;
    let empty = 0;
    for (const rank of this.registers) {
      sum += 2 ** -rank;
      empty += rank === 0 ? 1 : 0;
    }
    const raw = ((0.7213 / (1 + 1.079 / REGISTERS)) * REGISTERS * REGISTERS) / sum;
    return Math.round(raw <= 2.5 * REGISTERS && empty > 0 ? REGISTERS * Math.log(REGISTERS / empty) : raw);
  }
}

function mix(hash: number): number {
  let h = hash | 0;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
