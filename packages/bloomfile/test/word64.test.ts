import fc from "fast-check";
import { expect, test } from "vitest";
import { Word64 } from "../src/hash.js";

const word = fc.oneof(
  fc.bigInt(0n, 2n ** 64n - 1n),
  fc.constantFrom(0n, 1n, 0xffffffffn, 0x100000000n, 0x80000000n, 2n ** 63n, 2n ** 64n - 1n),
);
const from = (value: bigint): Word64 => new Word64(Number(value >> 32n), Number(value & 0xffffffffn));
const wrap = (value: bigint): bigint => BigInt.asUintN(64, value);

test("operations on two words match 64-bit integers", () => {
  fc.assert(
    fc.property(word, word, (left, right) => {
      expect(from(left).add(from(right)).toBigInt()).toBe(wrap(left + right));
      expect(from(left).subtract(from(right)).toBigInt()).toBe(wrap(left - right));
      expect(from(left).multiply(from(right)).toBigInt()).toBe(wrap(left * right));
      expect(from(left).xor(from(right)).toBigInt()).toBe(left ^ right);
      expect(new Word64().copy(from(left)).toBigInt()).toBe(left);
    }),
    { numRuns: 2000 },
  );
});

test("operations on a word and a number match 64-bit integers", () => {
  fc.assert(
    fc.property(word, fc.nat(63), fc.integer({ min: 0, max: 2 ** 32 - 1 }), (value, bits, number) => {
      const shift = BigInt(bits);
      expect(from(value).rotateRight(bits).toBigInt()).toBe(
        wrap((value >> shift) | (value << (64n - shift))),
      );
      expect(from(value).addNumber(number).toBigInt()).toBe(wrap(value + BigInt(number)));
      if (bits > 0) {
        expect(from(value).xorShiftRight(bits).toBigInt()).toBe(value ^ (value >> shift));
      }
    }),
    { numRuns: 2000 },
  );
});

test("bytes are loaded in little-endian order", () => {
  const bytes = Uint8Array.of(9, 0xf1, 2, 3, 4, 0xf5, 6, 7, 0xf8, 9);
  expect(new Word64().load(bytes, 1).toBigInt()).toBe(0xf80706f5040302f1n);
});
