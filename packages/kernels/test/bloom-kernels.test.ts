/** Compares the kernels of Parquet's Bloom filters with straightforward references. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { BloomHashes, HashedValues, HashStore } from "../src/pages.js";
import { PagesAlone } from "./simd-alone.js";

const kernels = new PagesAlone();
const MASK = (1n << 64n) - 1n;
const MASK_32 = (1n << 32n) - 1n;
/** No filter has fewer false positives. */
const UNFOLDED = -1;
const PRIMES = [
  0x9e3779b185ebca87n,
  0xc2b2ae3d27d4eb4fn,
  0x165667b19e3779f9n,
  0x85ebca77c2b2ae63n,
  0x27d4eb2f165667c5n,
] as const;
const SALTS = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
];

/** xxHash64 according to its specification. */
function xxhash64(bytes: Uint8Array): bigint {
  const [p1, p2, p3, p4, p5] = PRIMES;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const rotate = (n: bigint, by: bigint) => ((n << by) | (n >> (64n - by))) & MASK;
  const round = (state: bigint, lane: bigint) => (rotate((state + lane * p2) & MASK, 31n) * p1) & MASK;
  let at = 0;
  let state: bigint = p5;
  if (bytes.length >= 32) {
    const lanes = [p1 + p2, p2, 0n, MASK + 1n - p1].map((lane) => lane & MASK);
    for (; at + 32 <= bytes.length; at += 32) {
      lanes.forEach((lane, i) => {
        lanes[i] = round(lane, view.getBigUint64(at + 8 * i, true));
      });
    }
    const turns = [1n, 7n, 12n, 18n];
    state = lanes.reduce((sum, lane, i) => sum + rotate(lane, turns[i] ?? 0n), 0n) & MASK;
    for (const lane of lanes) {
      state = ((state ^ round(0n, lane)) * p1 + p4) & MASK;
    }
  }
  state = (state + BigInt(bytes.length)) & MASK;
  for (; at + 8 <= bytes.length; at += 8) {
    state = (rotate(state ^ round(0n, view.getBigUint64(at, true)), 27n) * p1 + p4) & MASK;
  }
  if (at + 4 <= bytes.length) {
    state = (rotate(state ^ ((BigInt(view.getUint32(at, true)) * p1) & MASK), 23n) * p2 + p3) & MASK;
    at += 4;
  }
  for (; at < bytes.length; at++) {
    state = (rotate(state ^ ((BigInt(view.getUint8(at)) * p5) & MASK), 11n) * p1) & MASK;
  }
  state = ((state ^ (state >> 33n)) * p2) & MASK;
  state = ((state ^ (state >> 29n)) * p3) & MASK;
  return state ^ (state >> 32n);
}

/** A split block Bloom filter according to its specification. */
function filterOf(hashes: readonly bigint[], bytes: number): Uint8Array {
  const filter = new Uint8Array(bytes);
  const view = new DataView(filter.buffer);
  for (const hash of hashes) {
    const block = Number(((hash >> 32n) * BigInt(bytes / 32)) >> 32n);
    for (const [i, salt] of SALTS.entries()) {
      const at = 32 * block + 4 * i;
      view.setUint32(
        at,
        view.getUint32(at, true) | (1 << (Math.imul(Number(hash & MASK_32), salt) >>> 27)),
        true,
      );
    }
  }
  return filter;
}

/** Share of random hashes that a filter has. */
function falsePositives(filter: Uint8Array): number {
  const blocks = filter.length / 32;
  const words = new Uint32Array(filter.slice().buffer);
  const shares = Array.from({ length: blocks }, (_, i) =>
    [...words.subarray(8 * i, 8 * i + 8)].reduce(
      (share, word) => (share * [...word.toString(2)].filter((bit) => bit === "1").length) / 32,
      1,
    ),
  );
  return shares.reduce((sum, share) => sum + share, 0) / blocks;
}

/** Takes hashes, and declines everything else. */
class Store implements HashStore {
  readonly pieces: Uint32Array[] = [];
  added = 0;

  get count(): number {
    return this.pieces.reduce((sum, { length }) => sum + length / 2, this.added);
  }

  add(_values: HashedValues, count: number): void {
    this.added += count;
  }

  finish(): void {
    throw new Error("not expected");
  }

  held(): readonly Uint32Array[] {
    return this.pieces;
  }

  hold(hashes: Uint32Array): void {
    this.pieces.push(hashes.slice());
  }

  clear(): void {
    this.pieces.length = 0;
    this.added = 0;
  }
}

/** A copy of the filter. */
function finished(hashes: BloomHashes, bytes: number, limit = UNFOLDED): Uint8Array {
  let filter = new Uint8Array(0);
  hashes.finish(bytes, limit, (made) => {
    filter = made.slice();
  });
  return filter;
}

function bytesUnder(hashes: readonly bigint[]): Uint32Array {
  return new Uint32Array(BigUint64Array.from(hashes).buffer);
}

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Math.imul(i + 1, 2654435761) >>> 13);
}

/** Hashes for which an instance of the module is made. */
const MANY = 1024;

function someHashes(count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => xxhash64(Uint8Array.of(i, i >> 8, i >> 16)));
}

describe("bloomHashes", () => {
  test("has the bits of strings of all lengths", () => {
    const lengths = Array.from({ length: MANY }, (_, i) => i % 100);
    const offsets = new Int32Array(MANY + 1).fill(3);
    lengths.forEach((length, i) => {
      offsets[i + 1] = (offsets[i] ?? 0) + length;
    });
    const data = randomBytes((offsets.at(-1) ?? 0) + 5);
    const hashes = kernels.bloomHashes(new Store());
    hashes.add({ offsets, data }, MANY);
    const values = lengths.map((_, i) => data.subarray(offsets[i], offsets[i + 1]));
    expect(hashes.count).toBe(MANY);
    expect(finished(hashes, 1 << 14)).toEqual(filterOf(values.map(xxhash64), 1 << 14));
    expect(hashes.count).toBe(0);
  });

  test.each([1, 4, 8, 12, 16, 33])("has the bits of values of %i bytes, in batches", (width) => {
    const data = randomBytes(2 * MANY * width);
    const hashes = kernels.bloomHashes(new Store());
    hashes.add({ data, width }, MANY);
    hashes.add({ data: data.subarray(MANY * width), width }, MANY);
    const values = Array.from({ length: 2 * MANY }, (_, i) => data.subarray(width * i, width * (i + 1)));
    expect(finished(hashes, 1 << 14)).toEqual(filterOf(values.map(xxhash64), 1 << 14));
  });

  test("passes on few values, values outside of their data, and values that are too large", () => {
    const data = new Uint8Array(8 * MANY);
    const count = MANY + 1;
    const offsets = Int32Array.from({ length: count + 1 }, (_, i) => i);
    for (const [values, some] of [
      [{ data, width: 8 }, 10],
      [{ data, width: 8 }, count],
      [{ data: data.subarray(0, MANY), offsets }, count],
      [{ data, offsets: offsets.with(4, 9) }, count],
      [{ data, offsets: offsets.subarray(0, count) }, count],
      [{ data: new Uint8Array(1 << 26), width: 8 }, 1 << 23],
    ] as const) {
      const store = new Store();
      kernels.bloomHashes(store).add(values, some);
      expect(store.added).toBe(some);
    }
  });

  test("adds the hashes of the store", () => {
    const words = fc.bigInt({ min: 0n, max: MASK });
    fc.assert(
      fc.property(fc.array(words, { maxLength: 40 }), fc.integer({ min: 5, max: 9 }), (held, power) => {
        const store = new Store();
        store.hold(bytesUnder(held));
        const data = randomBytes(8 * MANY);
        const hashes = kernels.bloomHashes(store);
        hashes.add({ data, width: 8 }, MANY);
        const values = Array.from({ length: MANY }, (_, i) => xxhash64(data.subarray(8 * i, 8 * i + 8)));
        expect(hashes.count).toBe(MANY + held.length);
        expect(finished(hashes, 2 ** power)).toEqual(filterOf([...held, ...values], 2 ** power));
        expect(store.count).toBe(0);
      }),
      { seed: 6, numRuns: 30 },
    );
  });

  test("takes more hashes of the store than are copied at a time, in any pieces", () => {
    const held = Uint32Array.from({ length: 300_000 }, (_, i) => Math.imul(i, 2654435761));
    const filters = [300_000, 2000].map((length) => {
      const store = new Store();
      for (let from = 0; from < held.length; from += length) {
        store.hold(held.subarray(from, from + length));
      }
      const hashes = kernels.bloomHashes(store);
      hashes.add({ data: new Uint8Array(MANY), width: 1 }, MANY);
      return finished(hashes, 1 << 17);
    });
    expect(filters[0]).toEqual(filters[1]);
  });

  test("moves hashes for which there is no room to the store", () => {
    const [one, other] = [randomBytes(4 << 20), randomBytes(7 << 20).subarray(3 << 20)];
    const alone = [one, other].map((data) => {
      const hashes = kernels.bloomHashes(new Store());
      hashes.add({ data, width: 1 }, data.length);
      return finished(hashes, 1 << 23);
    });
    const store = new Store();
    const both = kernels.bloomHashes(store);
    both.add({ data: one, width: 1 }, one.length);
    expect(store.pieces).toHaveLength(0);
    both.add({ data: other, width: 1 }, other.length);
    expect(store.pieces.map(({ length }) => length)).toEqual([2 * one.length]);
    expect(both.count).toBe(one.length + other.length);
    const filter = finished(both, 1 << 23);
    const isUnion = filter.every((byte, i) => byte === ((alone[0]?.[i] ?? 0) | (alone[1]?.[i] ?? 0)));
    expect(isUnion).toBe(true);
  });

  test("moves hashes to the store if the filter does not fit beside them", () => {
    const store = new Store();
    const data = randomBytes(6 << 20);
    const hashes = kernels.bloomHashes(store);
    hashes.add({ data, width: 1 }, data.length);
    const moved: number[] = [];
    store.clear = () => moved.push(store.count);
    expect(finished(hashes, 1 << 25)).toHaveLength(1 << 25);
    expect(moved).toEqual([data.length]);
  });

  test.each([32, 64, 128, 1024, 4096])(
    "halves a filter of %i bytes while its false positives permit it",
    (bytes) => {
      for (const count of [0, 1, 3, 20, 100, 700]) {
        for (const limit of [0.01, 0.3]) {
          const store = new Store();
          store.hold(bytesUnder(someHashes(count)));
          const hashes = kernels.bloomHashes(store);
          // Equal values: one hash.
          hashes.add({ data: new Uint8Array(MANY), width: 1 }, MANY);
          const all = [...someHashes(count), xxhash64(Uint8Array.of(0))];
          let expected = filterOf(all, bytes);
          while (expected.length > 32 && falsePositives(filterOf(all, expected.length / 2)) <= limit) {
            expected = filterOf(all, expected.length / 2);
          }
          expect(finished(hashes, bytes, limit)).toEqual(expected);
        }
      }
    },
  );

  test("makes filters of several stores at the same time", () => {
    const widths = [1, 2, 3, 4, 5, 6, 7];
    const all = widths.map(() => kernels.bloomHashes(new Store()));
    const data = randomBytes(7 * MANY);
    widths.forEach((width, i) => {
      all[i]?.add({ data, width }, MANY);
    });
    widths.forEach((width, i) => {
      const values = Array.from({ length: MANY }, (_, at) => data.subarray(width * at, width * (at + 1)));
      const hashes = all[i];
      expect(hashes && finished(hashes, 1 << 12)).toEqual(filterOf(values.map(xxhash64), 1 << 12));
    });
  });
});
