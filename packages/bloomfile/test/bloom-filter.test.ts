import { fromHex, getBit, setBit, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cityHash64 } from "../src/hash.js";
import { BloomFilter, type KeyBatch } from "../src/index.js";
import { bloomSizingByBytes, bloomSizingByCount } from "../src/write.js";
import { ascii, batchOf } from "./files.js";
import { goldenPrimitives } from "./golden.js";

test("there are golden filters", () => {
  expect(goldenPrimitives.bloom_filters).toHaveLength(4);
});

describe.each(goldenPrimitives.bloom_filters)("$n_bytes bytes, $n_hashes hashes", (golden) => {
  const keys = golden.keys.map(fromHex);

  test("matches Kudu's sizing", () => {
    const sizing = bloomSizingByBytes(golden.n_bytes, golden.fp_rate);
    expect([sizing.expectedKeys, sizing.hashCount]).toEqual([golden.expected_count, golden.n_hashes]);
  });

  test("has the same bits as in Kudu, from single keys and from a batch", () => {
    const single = new BloomFilter(new Uint8Array(golden.n_bytes), golden.n_hashes);
    for (const key of keys) {
      single.insert(key);
    }
    expect(toHex(single.bits)).toBe(golden.bitmap);
    const batch = new BloomFilter(new Uint8Array(golden.n_bytes), golden.n_hashes);
    batch.insertMany(batchOf(keys));
    expect(toHex(batch.bits)).toBe(golden.bitmap);
  });

  test("finds all its keys", () => {
    const filter = new BloomFilter(fromHex(golden.bitmap), golden.n_hashes);
    expect(keys.every((key) => filter.mayContain(key))).toBe(true);
    expect(filter.mayContainMany(batchOf(keys))).toEqual(new Uint8Array(keys.length).fill(1));
  });
});

test("matches the specification's filter of alpha, beta and gamma", () => {
  const filter = new BloomFilter(new Uint8Array(16), 6);
  for (const key of ["alpha", "beta", "gamma"]) {
    filter.insert(ascii(key));
  }
  expect(toHex(filter.bits)).toBe("60000020820100102202014008082600");
  expect(filter.mayContain(ascii("delta"))).toBe(false);
  expect(filter.mayContain(ascii("aardvark"))).toBe(false);
  expect(filter.countOnes()).toBe(17);
});

test("there are no false negatives for single keys and batches of either form", () => {
  fc.assert(
    fc.property(
      fc.array(fc.uint8Array({ minLength: 3, maxLength: 3 }), { maxLength: 50 }),
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 64 }),
      (keys, bytes, hashCount) => {
        const filters = [0, 1, 2].map(() => new BloomFilter(new Uint8Array(bytes), hashCount));
        const [single, variable, fixed] = filters as [BloomFilter, BloomFilter, BloomFilter];
        for (const key of keys) {
          single.insert(key);
        }
        const batch: KeyBatch = { width: 3, data: new Uint8Array(Buffer.concat(keys)) };
        variable.insertMany(batchOf(keys));
        fixed.insertMany(batch);
        expect(variable.bits).toEqual(single.bits);
        expect(fixed.bits).toEqual(single.bits);
        expect(keys.every((key) => single.mayContain(key))).toBe(true);
        expect(single.mayContainMany(batch)).toEqual(new Uint8Array(keys.length).fill(1));
      },
    ),
  );
});

/** The bit positions of a key by the specification's formula, computed with 64-bit integers. */
function positions(key: Uint8Array, hashCount: number, bitCount: number): number[] {
  const hash = cityHash64(key);
  const [h1, h2] = [hash & 0xffffffffn, hash >> 32n];
  return Array.from({ length: hashCount }, (_, i) =>
    Number(((h1 + BigInt(i) * h2) & 0xffffffffn) % BigInt(bitCount)),
  );
}

test("a key sets the bits of the specification's formula, for any filter size", () => {
  const size = fc.oneof(fc.integer({ min: 1, max: 300 }), fc.constantFrom(1, 2, 64, 256));
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 80 }), size, fc.integer({ min: 1, max: 64 }), (key, bytes, k) => {
      const filter = BloomFilter.empty(bytes, k);
      filter.insert(key);
      const bits = new Uint8Array(bytes);
      for (const position of positions(key, k, 8 * bytes)) {
        setBit(bits, position);
      }
      expect(filter.bits).toEqual(bits);
    }),
  );
});

test("the largest filter has 2^32 bits", () => {
  // Most of this memory is never touched.
  const filter = BloomFilter.empty(2 ** 29, 9);
  for (const key of ["alpha", "beta", "gamma"].map(ascii)) {
    filter.insert(key);
    for (const position of positions(key, 9, 2 ** 32)) {
      expect(getBit(filter.bits, position)).toBe(true);
    }
    expect(filter.mayContain(key)).toBe(true);
  }
  expect(filter.mayContain(ascii("delta"))).toBe(false);
});

test("a full filter has the expected rate of false positives", () => {
  const { filterBytes, expectedKeys, hashCount, falsePositiveRate } = bloomSizingByCount(4000, 0.01);
  const filter = new BloomFilter(new Uint8Array(filterBytes), hashCount);
  for (let i = 0; i < expectedKeys; i++) {
    filter.insert(ascii(`key ${i}`));
  }
  let found = 0;
  for (let i = 0; i < 40_000; i++) {
    found += filter.mayContain(ascii(`absent ${i}`)) ? 1 : 0;
  }
  expect(found / 40_000).toBeGreaterThan(0.8 * falsePositiveRate);
  expect(found / 40_000).toBeLessThan(1.2 * falsePositiveRate);
  const fill = filter.measureFill();
  expect(fill.estimatedKeys).toBeGreaterThan(3900);
  expect(fill.estimatedKeys).toBeLessThan(4100);
  expect(fill.falsePositiveRate).toBeCloseTo(falsePositiveRate, 3);
  expect(fill.isSaturated).toBe(false);
});

test("estimates are defined for empty and full filters", () => {
  expect(new BloomFilter(new Uint8Array(4), 2).measureFill()).toEqual({
    ones: 0,
    fill: 0,
    estimatedKeys: 0,
    falsePositiveRate: 0,
    isSaturated: false,
  });
  expect(new BloomFilter(new Uint8Array(4).fill(0xff), 2).measureFill()).toEqual({
    ones: 32,
    fill: 1,
    estimatedKeys: Number.POSITIVE_INFINITY,
    falsePositiveRate: 1,
    isSaturated: true,
  });
});

test.each([0, -1, 65, 1.5, Number.NaN])("%d hash functions are rejected", (hashCount) => {
  expect(() => new BloomFilter(new Uint8Array(8), hashCount)).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "num_hash_functions" }),
  );
});

test("a filter without bits is rejected", () => {
  expect(() => new BloomFilter(new Uint8Array(0), 3)).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "filterBytes" }),
  );
});

test.each<[string, KeyBatch]>([
  ["no offsets", { offsets: new Int32Array(0), data: new Uint8Array(4) }],
  ["an offset beyond the data", { offsets: Int32Array.of(0, 5), data: new Uint8Array(4) }],
  ["a negative offset", { offsets: Int32Array.of(-1, 4), data: new Uint8Array(4) }],
  ["a descending offset", { offsets: Int32Array.of(0, 3, 2), data: new Uint8Array(4) }],
  ["width 0", { width: 0, data: new Uint8Array(4) }],
  ["a width that does not divide the data", { width: 3, data: new Uint8Array(4) }],
])("a batch with %s is rejected", (_, keys) => {
  const filter = new BloomFilter(new Uint8Array(8), 3);
  expect(() => filter.insertMany(keys)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  expect(() => filter.mayContainMany(keys)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
});
