/** Compares the kernels of row sets with straightforward references, also on bad bytes. `@cfile/bloomfile` tests Bloom filters. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RowsAlone } from "./simd-alone.js";

const kernels = new RowsAlone();

const strings = (values: readonly Uint8Array[]): { offsets: Int32Array; data: Uint8Array } => {
  const offsets = new Int32Array(values.length + 1);
  let end = 3;
  offsets[0] = end;
  for (const [i, value] of values.entries()) {
    end += value.length;
    offsets[i + 1] = end;
  }
  return { offsets, data: Uint8Array.from([9, 9, 9, ...values.flatMap((value) => [...value])]) };
};

describe("keys", () => {
  test.each([1, 2, 4, 8])(
    "integerKeys writes integers of %i bytes with the most significant byte first",
    (width) => {
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
          const values = bytes.slice(0, bytes.length - (bytes.length % width));
          const expected = values.map((_, i) => {
            const place = i % width;
            const byte = values[i - place + width - 1 - place] as number;
            return place === 0 ? byte ^ 0x80 : byte;
          });
          const keys = new Uint8Array(values.length);
          const descent = kernels.integerKeys(values, width, 0x80, keys);
          expect(keys).toEqual(expected);
          const each = Array.from({ length: keys.length / width }, (_, i) =>
            keys.slice(i * width, (i + 1) * width),
          );
          const found = each.findIndex(
            (key, i) => i > 0 && Buffer.compare(each[i - 1] as Uint8Array, key) >= 0,
          );
          expect(descent).toBe(found < 0 ? each.length : found);
        }),
        { seed: 1, numRuns: 500 },
      );
    },
  );

  test.each([1, 2, 4, 8])(
    "integerDescent finds the first integer of %i bytes below its predecessor",
    (width) => {
      const few = fc.array(fc.nat({ max: 3 }), { maxLength: 150, size: "max" });
      fc.assert(
        fc.property(few, fc.boolean(), fc.boolean(), fc.boolean(), (given, isUnsigned, isSorted, isLow) => {
          // Values that vary in the highest byte, where signed and unsigned order differ, or in the lowest.
          const shift = isLow ? 0n : BigInt(8 * width - 8);
          const shifts = given.map((value) => BigInt.asUintN(8 * width, BigInt(value - 2) << shift));
          const numbers = shifts.map((value) => (isUnsigned ? value : BigInt.asIntN(8 * width, value)));
          const order = isSorted ? [...numbers].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)) : numbers;
          const bytes = new Uint8Array(width * order.length);
          order.forEach((value, i) => {
            for (let byte = 0; byte < width; byte++) {
              bytes[i * width + byte] = Number(BigInt.asUintN(8, value >> BigInt(8 * byte)));
            }
          });
          const found = order.findIndex((value, i) => i > 0 && value < (order[i - 1] as bigint));
          expect(kernels.integerDescent(bytes, width, isUnsigned)).toBe(found < 0 ? order.length : found);
        }),
        { seed: 1, numRuns: 500 },
      );
    },
  );

  test("invalid widths and lengths are declined", () => {
    expect(kernels.integerDescent(new Uint8Array(16), 16, false)).toBeUndefined();
    expect(kernels.integerDescent(new Uint8Array(15), 8, false)).toBeUndefined();
    expect(kernels.integerKeys(new Uint8Array(9), 3, 0, new Uint8Array(9))).toBeUndefined();
    expect(kernels.integerKeys(new Uint8Array(16), 16, 0, new Uint8Array(16))).toBeUndefined();
    expect(kernels.integerKeys(new Uint8Array(16), 8, 0, new Uint8Array(8))).toBeUndefined();
    expect(kernels.integerKeys(new Uint8Array(15), 8, 0, new Uint8Array(15))).toBeUndefined();
  });

  test("firstDescent finds the first key that is not above its predecessor", () => {
    const key = fc
      .array(fc.constantFrom(0, 1, 0x80, 0xff), { maxLength: 20 })
      .map((bytes) => Uint8Array.from(bytes));
    const compare = (a: Uint8Array, b: Uint8Array): number => Buffer.compare(a, b);
    fc.assert(
      fc.property(fc.array(key, { maxLength: 12 }), fc.boolean(), (given, isSorted) => {
        const values = isSorted ? [...given].sort(compare) : given;
        const found = values.findIndex(
          (value, i) => i > 0 && compare(values[i - 1] as Uint8Array, value) >= 0,
        );
        const { offsets, data } = strings(values);
        expect(kernels.firstDescent(offsets, data, values.length)).toBe(found < 0 ? values.length : found);
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
      expect(kernels.firstDescent(Int32Array.from(offsets), data, offsets.length - 1)).toBeUndefined();
    }
  });
});

test("countOnes counts the bits that are set", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 70 }), (bytes) => {
      const expected = bytes.reduce((sum, byte) => sum + byte.toString(2).replaceAll("0", "").length, 0);
      // Earlier content of the memory must not affect the result.
      kernels.countOnes(new Uint8Array(100).fill(0xff));
      expect(kernels.countOnes(bytes)).toBe(expected);
    }),
    { seed: 4, numRuns: 200 },
  );
});

describe("delta entries", () => {
  /** Row 5 at 7: UPDATE of column 11 to four bytes; row 241 at 2^40: DELETE; row 70000 at 3: REINSERT with a NULL. */
  const values = [
    [5, 7, 1, 11, 5, 1, 2, 3, 4],
    [241, 1, 253, 1, 0, 0, 0, 0, 0, 2],
    [250, 1, 0x11, 0x70, 3, 3, 12, 0],
  ].map((bytes) => Uint8Array.from(bytes));

  test("have rows, timestamps, types and mutations", () => {
    const { offsets, data } = strings(values);
    const entries = kernels.deltaEntries(offsets, data, 3);
    expect(entries).toEqual({
      rows: Uint32Array.of(5, 241, 70000),
      timestamps: BigUint64Array.of(7n, 1n << 40n, 3n),
      types: Uint8Array.of(1, 2, 3),
      offsets: Int32Array.of(0, 6, 6, 8),
      data: Uint8Array.of(11, 5, 1, 2, 3, 4, 12, 0),
      isSingle: true,
      deletes: 1,
      reinserts: 1,
      minTimestamp: 3n,
      maxTimestamp: 1n << 40n,
      overlong: -1,
    });
  });

  /** A row as a memcmp varint. */
  const rowBytes = (row: number): number[] => {
    if (row < 241) {
      return [row];
    }
    if (row < 2288) {
      return [241 + ((row - 240) >> 8), (row - 240) & 0xff];
    }
    if (row < 67824) {
      return [249, (row - 2288) >> 8, (row - 2288) & 0xff];
    }
    const bytes = [row >>> 24, (row >>> 16) & 0xff, (row >>> 8) & 0xff, row & 0xff];
    return row < 1 << 24 ? [250, ...bytes.slice(1)] : [251, ...bytes];
  };

  test.each([0, 200, 2200, 67700, 2 ** 24 - 300, 2 ** 32 - 500])(
    "of 500 rows from %i on, deleted at the same time or at different times",
    (first) => {
      const timestamps = [[7], [250, 9, 2, 3], [255, 1, 2, 3, 4, 5, 6, 7, 8]];
      const types = [[2], [2], [2], [2], [2], [1, 11, 2, 9]];
      for (const time of timestamps) {
        for (const changes of [0, 7]) {
          const rows = Array.from({ length: 500 }, (_, i) => first + i);
          const entries = rows.map((row, i) => [
            ...rowBytes(row),
            ...(changes > 0 && i % changes === 0 ? [9] : time),
            ...((changes > 0 ? types[i % types.length] : types[0]) ?? []),
          ]);
          const { offsets, data } = strings(entries.map((bytes) => Uint8Array.from(bytes)));
          const decoded = kernels.deltaEntries(offsets, data, rows.length);
          expect(decoded?.rows).toEqual(Uint32Array.from(rows));
          expect([...(decoded?.types ?? [])]).toEqual(entries.map((bytes) => (bytes.at(-1) === 9 ? 1 : 2)));
          const nines = [...(decoded?.timestamps ?? [])].filter((value) => value === 9n).length;
          expect(nines).toBe(changes === 0 ? 0 : 72);
          expect(decoded).toMatchObject({ isSingle: true, overlong: -1, reinserts: 0 });
        }
      }
    },
  );

  test("may continue a run of DELETEs with any other row, timestamp or type", () => {
    const run = (third: number[]): Uint8Array[] =>
      [[250, 2, 0, 0, 7, 2], [250, 2, 0, 1, 7, 2], third].map((bytes) => Uint8Array.from(bytes));
    const rowsOf = (values: Uint8Array[]): number[] | undefined => {
      const { offsets, data } = strings(values);
      const decoded = kernels.deltaEntries(offsets, data, values.length);
      return decoded && [...decoded.rows];
    };
    expect(rowsOf(run([250, 2, 0, 2, 7, 2]))).toEqual([0x20000, 0x20001, 0x20002]);
    expect(rowsOf(run([250, 2, 0, 3, 7, 2]))).toEqual([0x20000, 0x20001, 0x20003]);
    expect(rowsOf(run([250, 2, 0, 1, 7, 2]))).toEqual([0x20000, 0x20001, 0x20001]);
    expect(rowsOf(run([250, 2, 0, 0, 7, 2]))).toBeUndefined();
    expect(rowsOf(run([250, 2, 0, 2, 7, 3]))).toEqual([0x20000, 0x20001, 0x20002]);
    expect(rowsOf(run([250, 2, 0, 2, 7, 4]))).toBeUndefined();
    expect(rowsOf(run([250, 2, 0, 2, 8, 2]))).toEqual([0x20000, 0x20001, 0x20002]);
  });

  test("are the same if they are only borrowed", () => {
    const { offsets, data } = strings(values);
    expect(kernels.deltaEntries(offsets, data, 3, true)).toEqual(kernels.deltaEntries(offsets, data, 3));
  });

  test("report rows with several entries, and overlong keys", () => {
    const { offsets, data } = strings(
      [
        [1, 4, 2],
        [1, 250, 0, 0, 5, 2],
      ].map((bytes) => Uint8Array.from(bytes)),
    );
    expect(kernels.deltaEntries(offsets, data, 2)).toMatchObject({ isSingle: false, overlong: 1 });
  });

  test.each([
    [
      "rows that descend",
      [
        [2, 1, 2],
        [1, 1, 2],
      ],
    ],
    ["a row of more than 32 bits", [[252, 1, 0, 0, 0, 0, 7, 2]]],
    ["no type", [[1, 1]]],
    ["an unknown type", [[1, 1, 4, 1, 0]]],
    ["a DELETE with mutations", [[1, 1, 2, 0]]],
    ["an UPDATE without mutations", [[1, 1, 1]]],
    ["a truncated mutation", [[1, 1, 1, 11]]],
    ["a column value beyond the entry", [[1, 1, 1, 11, 3, 0]]],
    ["a column ID without an end", [[1, 1, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0]]],
    ["an empty entry", [[]]],
  ])("are declined with %s", (_, entries) => {
    const { offsets, data } = strings(entries.map((bytes) => Uint8Array.from(bytes)));
    expect(kernels.deltaEntries(offsets, data, entries.length)).toBeUndefined();
  });

  test("are decoded or declined for any bytes and offsets", () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constantFrom(...values), fc.uint8Array({ maxLength: 12 })), { maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(6), fc.integer({ min: -5, max: 80 })), { maxLength: 1 }),
        (entries, changes) => {
          const { offsets, data } = strings(entries);
          for (const [at, value] of changes) {
            offsets[at] = value;
          }
          const decoded = kernels.deltaEntries(offsets, data, entries.length);
          expect(decoded === undefined || decoded.rows.length === entries.length).toBe(true);
        },
      ),
      { seed: 3, numRuns: 3000 },
    );
  });
});
