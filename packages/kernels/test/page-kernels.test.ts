/** The kernels of pages: beside references of their own. */
import { crc32 } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choosePageKernels } from "../src/index.js";

const kernels = choosePageKernels("simd");

describe("CRC-32", () => {
  test.each([0, 1, 15, 16, 17, 8191, 8192, 8193, 20000, 70001])("of %i bytes", (length) => {
    const bytes = Uint8Array.from({ length }, (_, i) => (i * 151) ^ (i >> 7));
    expect(kernels?.crc32(bytes)).toBe(crc32(bytes));
  });
});

describe("strings", () => {
  const value = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.array(fc.constantFrom(0, 0x80, 0xff), { maxLength: 10 }).map((bytes) => Uint8Array.from(bytes)),
  );
  const columns = fc.array(value, { minLength: 1, maxLength: 12 });
  const offsetsOf = (values: readonly Uint8Array[]): Int32Array => {
    const offsets = new Int32Array(values.length + 1);
    for (const [i, { length }] of values.entries()) {
      offsets[i + 1] = (offsets[i] as number) + length;
    }
    return offsets;
  };

  test("each behind its length", () => {
    fc.assert(
      fc.property(columns, fc.nat(), (values, skip) => {
        const from = skip % values.length;
        const expected = values
          .slice(from)
          .flatMap((bytes) => [...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes]);
        const data = Uint8Array.from(values.flatMap((bytes) => [...bytes]));
        const written = kernels?.lengthPrefixed(offsetsOf(values), data, from, values.length);
        expect([...(written ?? [])]).toEqual(expected);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("the least and the greatest", () => {
    fc.assert(
      fc.property(columns, fc.nat(), (values, skip) => {
        const from = skip % values.length;
        const sorted = values.slice(from).sort(Buffer.compare);
        const data = Uint8Array.from(values.flatMap((bytes) => [...bytes]));
        const bounds = kernels?.stringBounds(offsetsOf(values), data, from, values.length);
        expect(values[bounds?.least ?? -1]).toEqual(sorted[0]);
        expect(values[bounds?.greatest ?? -1]).toEqual(sorted.at(-1));
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  test("offsets that lead elsewhere are declined", () => {
    const data = new Uint8Array(8);
    for (const offsets of [
      [0, 9],
      [-1, 4],
      [0, 6, 4, 8],
      [4, 2],
      [0, 99, 8],
      [0, -2, 8],
    ]) {
      const values = Int32Array.from(offsets);
      expect(kernels?.lengthPrefixed(values, data, 0, offsets.length - 1)).toBeUndefined();
      expect(kernels?.stringBounds(values, data, 0, offsets.length - 1)).toBeUndefined();
    }
    expect(kernels?.stringBounds(Int32Array.of(0), data, 0, 0)).toBeUndefined();
  });
});
