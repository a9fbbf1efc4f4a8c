/**
 * Kudu's Bloom filter (docs/spec/bloomfile.md#3-bloom-block-layout and docs/spec/bloomfile.md#42-bit-positions): `hashCount`
 * bits are set per key.
 *
 * | step | value |
 * | --- | --- |
 * | `h1`, `h2` | low and high half of the key's CityHash64 |
 * | position `i` | (`h1` + `i` × `h2`, 32 bits of it) modulo the number of bits |
 * | bit `p` | byte `p >> 3`, mask `1 << (p & 7)` |
 */
import { countBits, invalidOption } from "@cfile/bytes";
import { portableRowKernels } from "@cfile/kernels";
import type { BloomProbe, CountOnes, ProbedFilter, RowKernels } from "@cfile/kernels/rows";
import { cityHash64Into } from "../hash/city-hash.js";
import { Word64 } from "../hash/word64.js";
import { checkFilterBytes } from "./bloom-sizing.js";
import { CheckedKeys, type KeyBatch } from "./key-batch.js";

/** Maximum hash count. Kudu has no limit, but more hash functions do not improve a filter. */
export const MAX_HASH_COUNT = 64;

/** Fill above which a filter answers "maybe" for nearly every key. */
const SATURATED_FILL = 0.9;

const hash = /* @__PURE__ */ new Word64();

const probeEach: BloomProbe = (filter, { data, offsets, width }, { from, to }, answers, at) => {
  for (let i = from; i < to; i++) {
    const start = offsets === undefined ? i * width : (offsets[i] as number);
    const end = offsets === undefined ? start + width : (offsets[i + 1] as number);
    answers[at + i - from] = filter.mayContainRange(data, start, end) ? 1 : 0;
  }
};

const countOnes: CountOnes = (bytes) => countBits(bytes, 0, 8 * bytes.length);

/** A Bloom filter with Kudu's hash and bit positions. */
export class BloomFilter implements ProbedFilter {
  /** The bit array. */
  readonly bits: Uint8Array;
  /** Bits set and tested per key. */
  readonly hashCount: number;
  /** Number of bits. */
  readonly bitCount: number;
  /** `bitCount - 1` if `bitCount` is a power of two, as Kudu's default is; else 0. */
  private readonly mask: number;

  /**
   * @param bits the bit array, used without copying: zeros for an empty filter
   * @throws {CFileError} `E_INVALID_ARGUMENT` unless there are 1 to 2^29 bytes and `hashCount` is 1 to 64
   */
  constructor(bits: Uint8Array, hashCount: number) {
    checkFilterBytes(bits.length);
    if (!(Number.isInteger(hashCount) && hashCount >= 1 && hashCount <= MAX_HASH_COUNT)) {
      throw invalidOption("num_hash_functions", hashCount, `an integer from 1 to ${MAX_HASH_COUNT}`);
    }
    this.bits = bits;
    this.hashCount = hashCount;
    this.bitCount = 8 * bits.length;
    this.mask = (bits.length & (bits.length - 1)) === 0 ? (this.bitCount - 1) | 0 : 0;
  }

  /** An empty filter of `filterBytes` bytes. @throws {CFileError} as the constructor, before anything is allocated */
  static empty(filterBytes: number, hashCount: number): BloomFilter {
    checkFilterBytes(filterBytes);
    return new BloomFilter(new Uint8Array(filterBytes), hashCount);
  }

  /** Bytes in memory. */
  get memory(): number {
    return this.bits.byteLength;
  }

  /** Sets the bits of a key. */
  insert(key: Uint8Array): void {
    cityHash64Into(key, 0, key.length, hash);
    this.setPositions(hash.lo, hash.hi);
  }

  /** Returns `false` if the key was never inserted, `true` if it probably was. */
  mayContain(key: Uint8Array): boolean {
    return this.mayContainRange(key, 0, key.length);
  }

  /** Sets the bits of many keys. @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid batch */
  insertMany(keys: KeyBatch): void {
    const checked = new CheckedKeys(keys);
    this.insertRange(checked, 0, checked.length);
  }

  /** {@link mayContain} per key: 1 or 0. @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid batch */
  mayContainMany(keys: KeyBatch): Uint8Array {
    const checked = new CheckedKeys(keys);
    const answers = new Uint8Array(checked.length);
    probeEach(this, checked, { from: 0, to: checked.length }, answers, 0);
    return answers;
  }

  /** Inserts keys `from` (inclusive) to `to` (exclusive). */
  insertRange(keys: CheckedKeys, from: number, to: number): void {
    for (let i = from; i < to; i++) {
      cityHash64Into(keys.data, keys.start(i), keys.end(i), hash);
      this.setPositions(hash.lo, hash.hi);
    }
  }

  /** {@link mayContain} for the key `bytes[start..end)`. */
  mayContainRange(bytes: Uint8Array, start: number, end: number): boolean {
    cityHash64Into(bytes, start, end, hash);
    return this.testPositions(hash.lo, hash.hi);
  }

  /** {@link mayContain} for keys `from` (inclusive) to `to` (exclusive): writes 1 or 0 to `answers[from..to)`. */
  probeRange(keys: CheckedKeys, from: number, to: number, answers: Uint8Array, kernels: RowKernels): void {
    kernels.bloomProbe(probeEach)(this, keys, { from, to }, answers, from);
  }

  /** Number of bits set; counted at each call. */
  countOnes(kernels: RowKernels = portableRowKernels): number {
    return kernels.countOnes(countOnes)(this.bits);
  }

  /** Measures how full the filter is with {@link countOnes}. */
  measureFill(kernels?: RowKernels): BloomFill {
    const ones = this.countOnes(kernels);
    const fill = ones / this.bitCount;
    return {
      ones,
      fill,
      estimatedKeys: ones === 0 ? 0 : (-this.bitCount / this.hashCount) * Math.log(1 - fill),
      falsePositiveRate: fill ** this.hashCount,
      isSaturated: fill > SATURATED_FILL,
    };
  }

  private setPositions(h1: number, h2: number): void {
    const { bits, hashCount, mask } = this;
    const bitCount = this.bitCount >>> 0;
    let sum = h1;
    for (let i = 0; i < hashCount; i++) {
      const position = mask !== 0 ? sum & mask : (sum >>> 0) % bitCount;
      bits[position >>> 3] = (bits[position >>> 3] as number) | (1 << (position & 7));
      sum = (sum + h2) | 0;
    }
  }

  private testPositions(h1: number, h2: number): boolean {
    const { bits, hashCount, mask } = this;
    const bitCount = this.bitCount >>> 0;
    let sum = h1;
    for (let i = 0; i < hashCount; i++) {
      const position = mask !== 0 ? sum & mask : (sum >>> 0) % bitCount;
      if (((bits[position >>> 3] as number) & (1 << (position & 7))) === 0) {
        return false;
      }
      sum = (sum + h2) | 0;
    }
    return true;
  }
}

/** How full a filter is. */
export interface BloomFill {
  /** Bits set. */
  readonly ones: number;
  /** Fraction of bits set, 0 to 1. */
  readonly fill: number;
  /** Estimated number of distinct keys; `Infinity` when all bits are set. */
  readonly estimatedKeys: number;
  /** Expected fraction of absent keys that get the answer "maybe", 0 to 1. */
  readonly falsePositiveRate: number;
  /** Whether more than 90 % of the bits are set: the filter is useless. */
  readonly isSaturated: boolean;
}
