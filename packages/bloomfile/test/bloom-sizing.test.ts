import { expect, test } from "vitest";
import { bloomSizingByBytes, bloomSizingByCount, DEFAULT_FALSE_POSITIVE_RATE } from "../src/write.js";
import { goldenBloomFiles, goldenPrimitives } from "./golden.js";

test("there are golden sizes", () => {
  expect(goldenPrimitives.bloom_sizing_by_count).toHaveLength(12);
});

test.each(goldenPrimitives.bloom_sizing_by_count)(
  "matches Kudu for $expected_count keys, rate $fp_rate",
  (golden) => {
    expect(bloomSizingByCount(golden.expected_count, golden.fp_rate)).toMatchObject({
      filterBytes: golden.n_bytes,
      expectedKeys: golden.expected_count,
      hashCount: golden.n_hashes,
    });
  },
);

test.each(goldenBloomFiles)("matches the size of $name", (golden) => {
  expect(bloomSizingByBytes(golden.n_bytes, golden.fp_rate)).toMatchObject({
    filterBytes: golden.n_bytes,
    expectedKeys: golden.expected_count,
    hashCount: golden.n_hashes,
  });
});

test("has Kudu's defaults", () => {
  expect(DEFAULT_FALSE_POSITIVE_RATE).toBe(9.999999747378752e-5);
  const sizing = bloomSizingByBytes();
  expect(sizing).toMatchObject({ filterBytes: 4096, expectedKeys: 1710, hashCount: 13 });
  expect(sizing.falsePositiveRate).toBeCloseTo(1.0049e-4, 8);
  expect(bloomSizingByBytes(4096, 1e-4)).toMatchObject({ expectedKeys: 1710, hashCount: 13 });
});

test("matches the specification's other examples", () => {
  expect(bloomSizingByBytes(4096, Math.fround(0.01))).toMatchObject({ expectedKeys: 3419, hashCount: 6 });
  expect(bloomSizingByBytes(16, 0.01)).toMatchObject({ expectedKeys: 14, hashCount: 6 });
  expect(bloomSizingByCount(2000, 0.01)).toMatchObject({ filterBytes: 2397, hashCount: 6 });
  expect(bloomSizingByBytes(32, 0.01)).toMatchObject({ expectedKeys: 27, hashCount: 6 });
});

test.each([
  [0, 0.1],
  [-1, 0.1],
  [1.5, 0.1],
  [2 ** 29 + 1, 0.1],
  [Number.NaN, 0.1],
  [8, 0],
  [8, 1],
  [8, -0.5],
  [8, Number.NaN],
  [2 ** 29, 1 - 2 ** -53],
])("rejects a filter of %d bytes for a rate of %d", (bytes, rate) => {
  expect(() => bloomSizingByBytes(bytes, rate)).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
  );
});

test.each([
  [0, 0.1],
  [-3, 0.1],
  [1.5, 0.1],
  [Number.POSITIVE_INFINITY, 0.1],
  [10 ** 10, 0.01],
  [8, 0],
  [8, 1],
])("rejects a filter for %d keys at a rate of %d", (count, rate) => {
  expect(() => bloomSizingByCount(count, rate)).toThrow(
    expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
  );
});
