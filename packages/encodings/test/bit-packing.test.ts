import { fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FixedValues } from "../src/index.js";
import { packBits, packedByteLength, unpackBits } from "../src/rle.js";

const SEED = { seed: 20260102 };
const ALL_WIDTHS = Array.from({ length: 64 }, (_, i) => i + 1);

/** The definition: bit i of the stream is bit `i & 7` of byte `i >> 3`. */
function packedBitByBit(values: readonly bigint[], width: number): Uint8Array {
  const packed = new Uint8Array(Math.ceil((values.length * width) / 8));
  let bit = 0;
  for (const value of values) {
    for (let i = 0n; i < width; i++, bit++) {
      packed[bit >> 3] = (packed[bit >> 3] as number) | (Number((value >> i) & 1n) << (bit & 7));
    }
  }
  return packed;
}

function valuesOf(width: number): fc.Arbitrary<bigint[]> {
  return fc.array(fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }), { maxLength: 40 });
}

/** Every unsigned array type whose elements can hold `width` bits. */
function arraysFor(width: number, values: readonly bigint[]) {
  const numbers = values.map(Number);
  return [
    ...(width <= 8 ? [Uint8Array.from(numbers)] : []),
    ...(width <= 16 ? [Uint16Array.from(numbers)] : []),
    ...(width <= 32 ? [Uint32Array.from(numbers)] : []),
    BigUint64Array.from(values),
  ];
}

describe("bit packing", () => {
  it.each<[string, number, number[], string]>([
    ["bits come first to last", 1, [1, 0, 1, 1, 0, 0, 0, 0, 1], "0d 01"],
    ["values cross bytes", 3, [1, 2, 3, 4, 5, 6, 7, 0], "d1 58 1f"],
    ["the last byte is filled with zeros", 12, [0xabc], "bc 0a"],
    ["16 bits are little-endian", 16, [0x1234, 5], "34 12 05 00"],
    ["32 bits are little-endian", 32, [0x12345678], "78 56 34 12"],
    ["nothing is nothing", 7, [], ""],
  ])("%s", (_, width, values, hex) => {
    const packed = packBits(Uint32Array.from(values), width);
    expect(toHex(packed)).toBe(toHex(fromHex(hex)));
    const output = new Uint32Array(values.length);
    unpackBits(packed, width, values.length, output);
    expect([...output]).toEqual(values);
  });

  it("negative numbers are truncated two's complement", () => {
    expect(toHex(packBits(Int8Array.of(-1, -2), 4))).toBe("ef");
    expect(toHex(packBits(Int32Array.of(-1, -2, 5), 16))).toBe("fffffeff0500");
    expect(toHex(packBits(BigInt64Array.of(-1n, 1n), 33))).toBe("ffffffff0300000000");
    expect(toHex(packBits(Int16Array.of(-1, -2, 5), 16))).toBe("fffffeff0500");
    const signed = new Int16Array(3);
    unpackBits(fromHex("fffffeff0500"), 16, 3, signed);
    expect([...signed]).toEqual([-1, -2, 5]);
  });

  it.each(ALL_WIDTHS)("%d bits: matches the definition and round-trips from any position", (width) => {
    fc.assert(
      fc.property(valuesOf(width), fc.nat(40), fc.nat(40), fc.nat(3), (values, a, b, shift) => {
        const from = Math.min(a, values.length);
        const to = Math.max(from, Math.min(b, values.length));
        const part = values.slice(from, to);
        const blank = values.map(() => 0n);
        const expected = arraysFor(width, [...blank.slice(0, from), ...part, ...blank.slice(to)]);
        const outputs = arraysFor(width, blank);
        arraysFor(width, values).forEach((array, kind) => {
          const packed = packBits(array, width);
          expect(toHex(packed)).toBe(toHex(packedBitByBit(values, width)));
          expect(packed.length).toBe(packedByteLength(values.length, width));
          expect(toHex(packBits(array, width, from, to))).toBe(toHex(packedBitByBit(part, width)));
          const bytes = new Uint8Array(shift + packed.length);
          bytes.set(packed, shift);
          const output = outputs[kind] as FixedValues;
          unpackBits(bytes.subarray(shift), width, to - from, output.subarray(from), from);
          expect(output).toEqual(expected[kind]);
        });
      }),
      { ...SEED, numRuns: 15 },
    );
  });

  it("the packed length is exact for large counts", () => {
    expect(packedByteLength(2 ** 32, 64)).toBe(2 ** 35);
    expect(packedByteLength(2 ** 32 - 1, 63)).toBe(33822867449);
    expect(packedByteLength(9, 1)).toBe(2);
  });

  it.each<[string, string, () => unknown]>([
    ["a width of 0 bits", "E_INVALID_ARGUMENT", () => packBits(Uint8Array.of(1), 0)],
    ["a width of 65 bits", "E_INVALID_ARGUMENT", () => packBits(BigUint64Array.of(1n), 65)],
    ["elements narrower than the width", "E_INVALID_ARGUMENT", () => packBits(Uint8Array.of(1), 9)],
    ["a range past the array", "E_INVALID_ARGUMENT", () => packBits(Uint8Array.of(1), 3, 0, 2)],
    ["a range backwards", "E_INVALID_ARGUMENT", () => packBits(Uint8Array.of(1, 2), 8, 2, 1)],
    [
      "an output too narrow",
      "E_INVALID_ARGUMENT",
      () => unpackBits(new Uint8Array(9), 9, 1, new Uint8Array(1)),
    ],
    [
      "an output too small",
      "E_INVALID_ARGUMENT",
      () => unpackBits(new Uint8Array(9), 3, 2, new Uint8Array(1)),
    ],
    ["a negative count", "E_INVALID_ARGUMENT", () => unpackBits(new Uint8Array(9), 3, -1, new Uint8Array(1))],
    ["half a value", "E_INVALID_ARGUMENT", () => unpackBits(new Uint8Array(9), 3, 1, new Uint8Array(1), 0.5)],
    ["bytes that end early", "E_TRUNCATED", () => unpackBits(new Uint8Array(2), 9, 2, new Uint16Array(2))],
    [
      "a start past the bytes",
      "E_TRUNCATED",
      () => unpackBits(new Uint8Array(2).subarray(1), 9, 1, new Uint16Array(2)),
    ],
    [
      "a first value past the bytes",
      "E_TRUNCATED",
      () => unpackBits(new Uint8Array(2), 8, 1, new Uint16Array(2), 2),
    ],
    [
      "a first value far past the bytes",
      "E_TRUNCATED",
      () => unpackBits(new Uint8Array(2), 64, 1, new BigUint64Array(2), 2 ** 50),
    ],
  ])("rejects %s", (_, code, action) => {
    expect(action).toThrow(expect.objectContaining({ name: "CFileError", code }));
  });
});
