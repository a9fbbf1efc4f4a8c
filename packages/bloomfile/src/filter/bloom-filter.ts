/**
 * A Bloom filter as Kudu has it (docs/spec/bloomfile.md#3-bloom-block-layout and docs/spec/bloomfile.md#42-bit-positions): for
 * each key, `hashCount` bits are set.
 *
 * | step | value |
 * | --- | --- |
 * | `h1`, `h2` | low and high half of the key's CityHash64 |
 * | position `i` | (`h1` + `i` × `h2`, 32 bits of it) modulo the number of bits |
 * | bit `p` | byte `p >> 3`, mask `1 << (p & 7)` |
 */
import { countBits, invalidArgument } from "@cfile/bytes";
import { portableRowKernels } from "@cfile/kernels";
import type { BloomProbe, CountOnes, ProbedFilter, RowKernels } from "@cfile/kernels/rows";
import { cityHash64Into } from "../hash/city-hash.js";
import { Word64 } from "../hash/word64.js";
import { checkFilterBytes } from "./bloom-sizing.js";
import { CheckedKeys, type KeyBatch } from "./key-batch.js";

/** Kudu itself has no limit; more make no filter better. */
export const MAX_HASH_COUNT = 64;

/** A filter fuller than this answers "maybe" to nearly everything. */
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

/** A Bloom filter with Kudu's hash and bit positions; see docs/spec/bloomfile.md#4-hashing. */
export class BloomFilter implements ProbedFilter {
  /** The bit array, not copied. */
  readonly bits: Uint8Array;
  /** Bits that are set and tested for a key. */
  readonly hashCount: number;
  /** Number of bits. */
  readonly bitCount: number;
  /** One less than a number of bits that is a power of two, as Kudu's default is; else 0. */
  private readonly mask: number;

  /**
   * @param bits the bit array, which the filter keeps: zeros for an empty filter
   * @throws CFileError `E_INVALID_ARGUMENT` unless there are 1 to 2^29 bytes and `hashCount` is 1 to 64
   */
  constructor(bits: Uint8Array, hashCount: number) {
    checkFilterBytes(bits.length);
    if (!(Number.isInteger(hashCount) && hashCount >= 1 && hashCount <= MAX_HASH_COUNT)) {
      throw invalidArgument(`${hashCount} hash functions; 1 to ${MAX_HASH_COUNT} are possible`, {
        field: "num_hash_functions",
        actual: String(hashCount),
      });
    }
    this.bits = bits;
    this.hashCount = hashCount;
    this.bitCount = 8 * bits.length;
    this.mask = (bits.length & (bits.length - 1)) === 0 ? (this.bitCount - 1) | 0 : 0;
  }

  /**
   * A filter of `filterBytes` bytes without keys.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` as the constructor, before anything is allocated
   */
  static empty(filterBytes: number, hashCount: number): BloomFilter {
    checkFilterBytes(filterBytes);
    return new BloomFilter(new Uint8Array(filterBytes), hashCount);
  }

  /** Bytes of memory that the filter takes. */
  get memory(): number {
    return this.bits.byteLength;
  }

  /** Adds a key: sets its bits. */
  insert(key: Uint8Array): void {
    cityHash64Into(key, 0, key.length, hash);
    this.setPositions(hash.lo, hash.hi);
  }

  /** `false`: the key was never inserted. `true`: it probably was. */
  mayContain(key: Uint8Array): boolean {
    cityHash64Into(key, 0, key.length, hash);
    return this.testPositions(hash.lo, hash.hi);
  }

  /** @throws CFileError `E_INVALID_ARGUMENT` for a batch that is none */
  insertMany(keys: KeyBatch): void {
    const checked = new CheckedKeys(keys);
    this.insertRange(checked, 0, checked.length);
  }

  /**
   * {@link mayContain} for each key: 1 or 0.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` for a batch that is none
   */
  mayContainMany(keys: KeyBatch): Uint8Array {
    const checked = new CheckedKeys(keys);
    const answers = new Uint8Array(checked.length);
    for (let i = 0; i < answers.length; i++) {
      answers[i] = this.mayContainRange(checked.data, checked.start(i), checked.end(i)) ? 1 : 0;
    }
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

  /** {@link mayContain} for keys `from` to `to`: 1 or 0 for each, from `at` on. */
  probeRange(
    keys: CheckedKeys,
    from: number,
    to: number,
    answers: Uint8Array,
    at: number,
    kernels: RowKernels,
  ): void {
    kernels.bloomProbe(probeEach)(this, keys, { from, to }, answers, at);
  }

  /** Bits that are set. Counted anew each time. */
  countOnes(kernels: RowKernels = portableRowKernels): number {
    return kernels.countOnes(countOnes)(this.bits);
  }

  /** What {@link countOnes} says about the filter. */
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
  /** Bits that are set. */
  readonly ones: number;
  /** Their part of all bits, 0 to 1. */
  readonly fill: number;
  /** Distinct keys that fill a filter so far; `Infinity` when all bits are set. */
  readonly estimatedKeys: number;
  /** The part of absent keys that such a filter answers with "maybe", 0 to 1. */
  readonly falsePositiveRate: number;
  /** More than nine tenths of the bits are set: the filter is of no use. */
  readonly isSaturated: boolean;
}
