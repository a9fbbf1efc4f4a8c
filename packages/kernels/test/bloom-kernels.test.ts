/** Compares the kernels of Parquet's Bloom filters with straightforward references. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { PagesAlone } from "./simd-alone.js";

const kernels = new PagesAlone();
const MASK = (1n << 64n) - 1n;
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

function hashesOf(words: Uint32Array | undefined): bigint[] | undefined {
  return words && [...new BigUint64Array(words.buffer)];
}

function randomBytes(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, i) => Math.imul(i + 1, 2654435761) >>> 13);
}

describe("hashValues", () => {
  test("hashes strings of all lengths", () => {
    const lengths = Array.from({ length: 100 }, (_, i) => i);
    const offsets = Int32Array.from([3, ...lengths.map((length) => 3 + ((length * (length + 1)) >> 1))]);
    const data = randomBytes((offsets.at(-1) ?? 0) + 5);
    const values = lengths.map((i) => data.subarray(offsets[i], offsets[i + 1]));
    expect(hashesOf(kernels.hashValues({ offsets, data }, 100))).toEqual(values.map(xxhash64));
  });

  test.each([1, 4, 8, 12, 16, 33])("hashes values of %i bytes", (width) => {
    const data = randomBytes(50 * width);
    const values = Array.from({ length: 50 }, (_, i) => data.subarray(width * i, width * (i + 1)));
    expect(hashesOf(kernels.hashValues({ data, width }, 50))).toEqual(values.map(xxhash64));
  });

  test("declines values outside of the bytes", () => {
    const data = new Uint8Array(20);
    expect(kernels.hashValues({ data, width: 8 }, 3)).toBeUndefined();
    expect(kernels.hashValues({ data, offsets: Int32Array.of(0, 8, 21) }, 2)).toBeUndefined();
    expect(kernels.hashValues({ data, offsets: Int32Array.of(0, 8, 4, 20) }, 3)).toBeUndefined();
  });
});

describe("fillBloom", () => {
  test("sets eight bits per hash", () => {
    const words = fc.uint32Array({ minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 9 }), (hashes, count) => {
        const blocks = randomBytes(32 * count);
        const expected = blocks.slice();
        const view = new DataView(expected.buffer);
        for (let i = 0; i + 1 < hashes.length; i += 2) {
          const block = Number((BigInt(hashes[i + 1] ?? 0) * BigInt(count)) >> 32n);
          for (const [j, salt] of SALTS.entries()) {
            const at = 32 * block + 4 * j;
            view.setUint32(
              at,
              view.getUint32(at, true) | (1 << (Math.imul(hashes[i] ?? 0, salt) >>> 27)),
              true,
            );
          }
        }
        expect(kernels.fillBloom([hashes], blocks)).toBe(true);
        expect(blocks).toEqual(expected);
      }),
      { seed: 6, numRuns: 200 },
    );
  });

  test("takes more hashes than are copied at a time, in any pieces", () => {
    const count = 150_000;
    const hashes = Uint32Array.from({ length: 2 * count }, (_, i) => Math.imul(i, 2654435761));
    const [whole, parts] = [new Uint8Array(1 << 17), new Uint8Array(1 << 17)];
    kernels.fillBloom([hashes], whole);
    const pieces = Array.from({ length: count / 1000 }, (_, i) => hashes.subarray(2000 * i, 2000 * (i + 1)));
    kernels.fillBloom(pieces, parts);
    expect(whole).toEqual(parts);
  });

  test("declines a filter without blocks", () => {
    expect(kernels.fillBloom([new Uint32Array(2)], new Uint8Array(0))).toBe(false);
  });
});
