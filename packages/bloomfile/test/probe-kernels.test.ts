/** Lookups with SIMD kernels give the same answers as portable ones, for keys of every length. */
import { chooseRowKernels } from "@cfile/kernels/rows";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { CheckedKeys, type KeyBatch } from "../src/filter/key-batch.js";
import { cityHash64 } from "../src/hash.js";
import { BloomFilter } from "../src/index.js";

function answersOf(filter: BloomFilter, batch: KeyBatch, isFast: boolean): Uint8Array {
  const keys = new CheckedKeys(batch);
  const answers = new Uint8Array(keys.length);
  filter.probeRange(keys, 0, keys.length, answers, chooseRowKernels(isFast ? "simd" : "portable"));
  return answers;
}

describe("SIMD lookups match portable ones for", () => {
  test.each([4096, 4000, 37])("keys of 0 to 300 bytes in a filter of %i bytes", (filterBytes) => {
    const lengths = Array.from({ length: 301 }, (_, i) => i);
    const offsets = Int32Array.from([0, ...lengths.map((length) => (length * (length + 1)) / 2)]);
    const data = Uint8Array.from({ length: offsets.at(-1) ?? 0 }, (_, i) => (i * 167 + (i >> 8)) & 0xff);
    const filter = BloomFilter.empty(filterBytes, 9);
    for (const length of lengths.filter((value) => value % 3 !== 1)) {
      filter.insert(data.subarray(offsets[length], offsets[length + 1]));
    }
    const answers = answersOf(filter, { offsets, data }, true);
    expect(answers).toEqual(answersOf(filter, { offsets, data }, false));
    expect(lengths.every((length) => length % 3 === 1 || answers[length] === 1)).toBe(true);
  });

  test("any keys of one width", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 40 }),
        fc.uint8Array({ maxLength: 400 }),
        fc.uint8Array({ minLength: 1, maxLength: 70 }),
        fc.integer({ min: 1, max: 64 }),
        (width, bytes, bits, hashCount) => {
          const data = bytes.subarray(0, bytes.length - (bytes.length % width));
          const filter = new BloomFilter(bits, hashCount);
          expect(answersOf(filter, { width, data }, true)).toEqual(answersOf(filter, { width, data }, false));
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  test.each([1, 4, 8, 16, 17, 33])(
    "many keys of %i bytes in filters of Kudu's size, with any hash count",
    (width) => {
      // Up to 511 keys are probed bit by bit; from 512 on the filter is expanded to one byte per bit.
      for (const count of [511, 512, 700]) {
        const data = Uint8Array.from({ length: count * width }, (_, i) => (i * 151) ^ (i >> 3) ^ (i >> 9));
        for (let hashCount = 1; hashCount <= 64; hashCount++) {
          const filter = BloomFilter.empty(4096, hashCount);
          const missing = (hashCount * 7) % count;
          for (let key = 0; key < count; key++) {
            if (key % 3 !== 1 && key !== missing) {
              filter.insert(data.subarray(key * width, (key + 1) * width));
            }
          }
          const answers = answersOf(filter, { width, data }, true);
          expect(answers).toEqual(answersOf(filter, { width, data }, false));
          expect(answers.every((answer, key) => key % 3 === 1 || key === missing || answer === 1)).toBe(true);
          expect(hashCount < 3 || width < 4 || answers.includes(0)).toBe(true);
        }
      }
    },
  );

  test("a single key in a filter of 64 bits", () => {
    const key = Uint8Array.of(1, 2, 3);
    const filter = BloomFilter.empty(8, 1);
    filter.insert(key);
    expect(filter.bits[Number(cityHash64(key) & 63n) >> 3]).not.toBe(0);
    expect(answersOf(filter, { width: 3, data: key }, true)).toEqual(Uint8Array.of(1));
  });
});
