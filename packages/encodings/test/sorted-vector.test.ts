/** Searches in ascending values, compared with a linear search. */
import { compareBytes, isCFileError } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { batchFromValues } from "../src/batches.js";
import type { DataType, FixedVector, SeekTarget, Vector } from "../src/index.js";
import { sortedVector } from "../src/keys.js";

function firstNotBefore<T>(values: readonly T[], isBefore: (value: T) => boolean): number {
  const position = values.findIndex((value) => !isBefore(value));
  return position < 0 ? values.length : position;
}

function vectorOf(type: DataType, values: readonly (number | bigint | Uint8Array)[]): Vector {
  return batchFromValues({ type, nullable: false, array: false }, values) as Vector;
}

describe("integers", () => {
  const ranges: readonly [DataType, bigint, bigint][] = [
    ["INT8", -128n, 127n],
    ["UINT8", 0n, 255n],
    ["INT32", -(1n << 31n), (1n << 31n) - 1n],
    ["UINT32", 0n, (1n << 32n) - 1n],
    ["INT64", -(1n << 63n), (1n << 63n) - 1n],
    ["UINT64", 0n, (1n << 64n) - 1n],
    ["INT128", -(1n << 127n), (1n << 127n) - 1n],
  ];

  test.each(ranges)("%s: finds the first value at or after any target", (type, least, most) => {
    const near = fc.bigInt({ min: least, max: least + 40n });
    const around = fc.bigInt({ min: -20n < least ? least : -20n, max: 20n });
    const value = fc.oneof(near, around, fc.bigInt({ min: least, max: most }), fc.constantFrom(least, most));
    const target = fc.oneof(
      value,
      fc.bigInt({ min: -(1n << 130n), max: 1n << 130n }),
      fc.integer({ min: -50, max: 50 }),
      fc.double({ noNaN: true }),
    );
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), target, (unsorted, wanted) => {
        const values = unsorted.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
        const cells = ["INT64", "UINT64", "INT128"].includes(type) ? values : values.map(Number);
        const position = firstNotBefore(values, (one) => one < wanted);
        expect(sortedVector(vectorOf(type, cells)).seek(wanted)).toEqual({
          position,
          exact: position < values.length && !((values[position] as bigint) > wanted),
        });
      }),
      { seed: 1, numRuns: 400 },
    );
  });

  test("a length limits the search to the first values", () => {
    const vector = vectorOf("INT32", [1, 3, 5, 0, 0]) as FixedVector;
    expect(sortedVector(vector, 3).seek(9)).toEqual({ position: 3, exact: false });
  });
});

describe("strings", () => {
  const bytes = fc
    .tuple(fc.constantFrom("", "key-", "key-0"), fc.uint8Array({ maxLength: 6 }))
    .map(([prefix, rest]) => Uint8Array.from([...Buffer.from(prefix), ...rest]));

  test("finds the first value at or after any target, with and without common prefixes", () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 30 }), bytes, (unsorted, wanted) => {
        const values = unsorted.sort(compareBytes);
        const position = firstNotBefore(values, (one) => compareBytes(one, wanted) < 0);
        const exact = compareBytes(values[position] ?? Uint8Array.of(...wanted, 0), wanted) === 0;
        const binary = vectorOf("BINARY", values);
        expect(sortedVector(binary).seek(wanted)).toEqual({ position, exact });
        if (binary.kind === "binary") {
          const codes = Int32Array.from(values, (_, i) => i);
          const coded = { kind: "dictionary", length: values.length, codes, dictionary: binary } as const;
          expect(sortedVector(coded).seek(wanted)).toEqual({ position, exact });
        }
      }),
      { seed: 2, numRuns: 1000 },
    );
  });

  test("searches hundreds of strings, most with a common prefix", () => {
    const byte = fc.constantFrom(0, 1, 255);
    const long = fc.array(byte, { maxLength: 7 });
    fc.assert(
      fc.property(fc.array(long, { minLength: 100, maxLength: 500 }), long, (unsorted, target) => {
        const values = unsorted.map((one) => Uint8Array.from(one)).sort(compareBytes);
        const wanted = Uint8Array.from(target);
        const position = firstNotBefore(values, (one) => compareBytes(one, wanted) < 0);
        const exact = compareBytes(values[position] ?? Uint8Array.of(...wanted, 0), wanted) === 0;
        expect(sortedVector(vectorOf("BINARY", values)).seek(wanted)).toEqual({ position, exact });
      }),
      { seed: 3, numRuns: 500 },
    );
  });
});

describe("values without key order", () => {
  test.each([
    ["FLOAT", [1]],
    ["DOUBLE", [1]],
  ] as const)("%s is rejected", (type, values) => {
    expect(() => sortedVector(vectorOf(type, values))).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED" }),
    );
  });

  test.each<[DataType, number | Uint8Array, SeekTarget]>([
    ["INT32", 1, Uint8Array.of(1)],
    ["INT64", 1, Number.NaN],
    ["BINARY", Uint8Array.of(1), 5],
  ])("rejects a target of the wrong kind: %s", (type, value, target) => {
    const sorted = sortedVector(vectorOf(type, [typeof value === "number" && type === "INT64" ? 1n : value]));
    try {
      sorted.seek(target);
      expect.unreachable();
    } catch (error) {
      expect(isCFileError(error, "E_INVALID_ARGUMENT")).toBe(true);
    }
  });
});
