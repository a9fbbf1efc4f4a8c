import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bitmapByteLength,
  clearBit,
  copyBits,
  countBits,
  findBit,
  getBit,
  onesBitmap,
  setBit,
  setBitRange,
} from "../src/index.js";

const bits = fc.array(fc.boolean(), { maxLength: 200 });

function bitmapOf(values: readonly boolean[]): Uint8Array {
  const bitmap = new Uint8Array(bitmapByteLength(values.length));
  values.forEach((value, i) => {
    if (value) {
      setBit(bitmap, i);
    }
  });
  return bitmap;
}

function bitsOf(bitmap: Uint8Array, length: number): boolean[] {
  return Array.from({ length }, (_, i) => getBit(bitmap, i));
}

describe("bitmaps", () => {
  test("bit i is in byte i >> 3, with the mask 1 << (i & 7)", () => {
    expect([...bitmapOf([true, false, true, true, false, false, false, false, true])]).toEqual([0x0d, 0x01]);
  });

  test("clearBit undoes setBit", () => {
    const bitmap = onesBitmap(12);
    expect([...bitmap]).toEqual([0xff, 0x0f]);
    clearBit(bitmap, 9);
    expect([...bitmap]).toEqual([0xff, 0x0d]);
  });

  test("setBitRange, countBits, findBit and copyBits agree with bit-by-bit loops", () => {
    fc.assert(
      fc.property(bits, fc.nat(200), fc.nat(200), fc.nat(20), (values, a, b, shift) => {
        const from = Math.min(a, b, values.length);
        const to = Math.min(Math.max(a, b), values.length);
        const bitmap = bitmapOf(values);
        expect(countBits(bitmap, from, to)).toBe(values.slice(from, to).filter(Boolean).length);
        for (const wanted of [true, false]) {
          const found = values.slice(from, to).indexOf(wanted);
          expect(findBit(bitmap, wanted, from, to)).toBe(found < 0 ? to : from + found);
        }
        const filled = bitmapOf(values);
        setBitRange(filled, from, to);
        expect(bitsOf(filled, values.length)).toEqual(values.map((v, i) => v || (i >= from && i < to)));
        const target = onesBitmap(values.length + shift + 8);
        copyBits(bitmap, from, target, shift, to - from);
        expect(bitsOf(target, values.length + shift + 8)).toEqual(
          Array.from({ length: values.length + shift + 8 }, (_, i) =>
            i >= shift && i < shift + to - from ? values[from + i - shift] : true,
          ),
        );
      }),
      { seed: 1 },
    );
  });
});
