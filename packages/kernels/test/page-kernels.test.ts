/** Compares the kernels of pages with straightforward references. */
import { crc32 } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choosePageKernels } from "../src/pages.js";
import { PagesAlone } from "./simd-alone.js";

const kernels = new PagesAlone();

describe("CRC-32", () => {
  test.each([0, 1, 15, 16, 17, 615, 616, 1216, 2416, 4815, 4816, 8192, 20000, 70001])(
    "of %i bytes matches the portable one",
    (length) => {
      const bytes = Uint8Array.from({ length }, (_, i) => (i * 151) ^ (i >> 7));
      expect(kernels.crc32(bytes)).toBe(crc32(bytes));
    },
  );

  test.each(["auto", "simd", "portable"] as const)(
    "continues from the checksum of the preceding bytes: %s",
    (choice) => {
      const { crc32: checksum } = choosePageKernels(choice);
      const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => (i * 151) ^ (i >> 7));
      const whole = checksum(bytes) >>> 0;
      for (const middle of [0, 1, 500, 1024, 5000, 262_144, 299_999, 300_000]) {
        const before = checksum(bytes.subarray(0, middle)) >>> 0;
        expect(checksum(bytes.subarray(middle), before) >>> 0).toBe(whole);
      }
    },
  );

  test("accepts shared memory", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(70_001)).fill(3);
    expect(kernels.crc32(shared)).toBe(crc32(shared));
  });
});

describe("integerBounds", () => {
  const types = [Int8Array, Uint8Array, Int16Array, Uint16Array, Int32Array, Uint32Array] as const;

  test.each(types)("finds the minimum and maximum of %o", (Type) => {
    const numbers = fc.array(fc.oneof(fc.integer(), fc.constantFrom(0, 1, -1, 127, 128)), {
      minLength: 1,
      maxLength: 70,
    });
    fc.assert(
      fc.property(numbers, (given) => {
        const values = Type.from(given);
        const isUnsigned = Type.name.startsWith("U");
        const sorted = [...values].sort((a, b) => a - b);
        const bytes = new Uint8Array(values.buffer);
        expect(kernels.integerBounds(bytes, Type.BYTES_PER_ELEMENT, isUnsigned)).toEqual({
          min: sorted[0],
          max: sorted.at(-1),
        });
      }),
      { seed: 3, numRuns: 300 },
    );
  });

  test.each([BigInt64Array, BigUint64Array])("finds the minimum and maximum of %o", (Type) => {
    const numbers = fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }), {
      minLength: 1,
      maxLength: 30,
    });
    fc.assert(
      fc.property(numbers, (given) => {
        const values = Type.from(given);
        const sorted = [...values].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const bounds = kernels.integerBounds(new Uint8Array(values.buffer), 8, Type === BigUint64Array);
        expect(bounds).toEqual({ min: sorted[0], max: sorted.at(-1) });
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  test("declines empty input and other widths", () => {
    expect(kernels.integerBounds(new Uint8Array(0), 4, false)).toBeUndefined();
    expect(kernels.integerBounds(new Uint8Array(16), 16, false)).toBeUndefined();
    expect(kernels.integerBounds(new Uint8Array(15), 4, false)).toBeUndefined();
  });
});

test("isAscii finds any byte above 127", () => {
  for (let length = 0; length < 70; length++) {
    const bytes = new Uint8Array(length).fill(127);
    // Earlier content of the memory must not affect the result.
    kernels.isAscii(new Uint8Array(100).fill(255));
    expect(kernels.isAscii(bytes)).toBe(true);
    for (let at = 0; at < length; at++) {
      bytes[at] = 128;
      expect(kernels.isAscii(bytes)).toBe(false);
      bytes[at] = 0;
    }
  }
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

  test("lengthPrefixed writes each string after its length", () => {
    fc.assert(
      fc.property(columns, fc.nat(), (values, skip) => {
        const from = skip % values.length;
        const expected = values
          .slice(from)
          .flatMap((bytes) => [...new Uint8Array(Uint32Array.of(bytes.length).buffer), ...bytes]);
        const data = Uint8Array.from(values.flatMap((bytes) => [...bytes]));
        const written = kernels.lengthPrefixed(offsetsOf(values), data, from, values.length);
        expect([...(written ?? [])]).toEqual(expected);
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  test("stringBounds finds the minimum and maximum", () => {
    // Many of these strings share their first 8 bytes, or are others followed by zeros.
    const similar = fc.array(fc.uint8Array({ max: 1, maxLength: 12 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(columns, similar), fc.nat(), (values, skip) => {
        const from = skip % values.length;
        const sorted = values.slice(from).sort(Buffer.compare);
        const data = Uint8Array.from(values.flatMap((bytes) => [...bytes]));
        const bounds = kernels.stringBounds(offsetsOf(values), data, from, values.length);
        expect(values[bounds?.min ?? -1]).toEqual(sorted[0]);
        expect(values[bounds?.max ?? -1]).toEqual(sorted.at(-1));
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  test("invalid offsets are declined", () => {
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
      expect(kernels.lengthPrefixed(values, data, 0, offsets.length - 1)).toBeUndefined();
      expect(kernels.stringBounds(values, data, 0, offsets.length - 1)).toBeUndefined();
    }
    expect(kernels.stringBounds(Int32Array.of(0), data, 0, 0)).toBeUndefined();
  });
});
