import { ByteBuilder, ByteReader, compareBytes, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  memcmpableVarint64Length,
  readMemcmpableVarint64,
  readMemcmpableVarint64BigInt,
  writeMemcmpableVarint64,
} from "../src/index.js";
import { golden } from "./golden.js";

const encode = (value: number | bigint): Uint8Array => {
  const out = new ByteBuilder();
  writeMemcmpableVarint64(out, value);
  return out.finish();
};
const decodeNumber = (hex: string): number => readMemcmpableVarint64(new ByteReader(fromHex(hex)), "row");
const decodeBigInt = (hex: string): bigint =>
  readMemcmpableVarint64BigInt(new ByteReader(fromHex(hex)), "row");

const uint64 = fc
  .tuple(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), fc.integer({ min: 0, max: 63 }))
  .map(([wide, shift]) => wide >> BigInt(shift));

describe("memcmp-able varint64", () => {
  it("matches Kudu's bytes in both directions", () => {
    expect(golden.memcmpable_varint64.length).toBeGreaterThan(100);
    for (const { v, hex } of golden.memcmpable_varint64) {
      const value = BigInt(v);
      expect(toHex(encode(value))).toBe(hex);
      expect(memcmpableVarint64Length(value)).toBe(hex.length / 2);
      expect(decodeBigInt(hex)).toBe(value);
      if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
        expect(toHex(encode(Number(value)))).toBe(hex);
        expect(decodeNumber(hex)).toBe(Number(value));
      } else {
        expect(() => decodeNumber(hex)).toThrow(
          expect.objectContaining({ code: "E_CORRUPT", field: "row", offset: 0 }),
        );
      }
    }
  });

  it("round-trips the values around every change of length", () => {
    for (const edge of [
      0n,
      240n,
      2287n,
      67823n,
      ...[24n, 32n, 40n, 48n, 56n].map((bits) => 2n ** bits - 1n),
    ]) {
      for (const value of [edge, edge + 1n]) {
        expect(decodeBigInt(toHex(encode(value)))).toBe(value);
      }
      expect(encode(edge + 1n).length).toBe(edge === 0n ? 1 : encode(edge).length + 1);
    }
  });

  it("round-trips any value, and its bytes compare like the values", () => {
    fc.assert(
      fc.property(uint64, uint64, (a, b) => {
        const left = encode(a);
        expect(decodeBigInt(`${toHex(left)}00`)).toBe(a);
        expect(Math.sign(compareBytes(left, encode(b)))).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
      { seed: 3 },
    );
  });

  it.each([
    ["f90000", 2288n],
    ["fa000001", 1n],
    ["ff0000000000000005", 5n],
  ])("accepts %s, the shortest form or not", (hex, value) => {
    expect(decodeBigInt(hex)).toBe(value);
    expect(decodeNumber(hex)).toBe(Number(value));
  });

  it("rejects every truncation", () => {
    for (const hex of ["f100", "f90000", "fa000001", "ff0000000000000005"]) {
      for (let length = 0; length < hex.length; length += 2) {
        const error = expect.objectContaining({ code: "E_TRUNCATED", field: "row" });
        expect(() => decodeNumber(hex.slice(0, length))).toThrow(error);
        expect(() => decodeBigInt(hex.slice(0, length))).toThrow(error);
      }
    }
  });

  it.each([-1, 1.5, 2 ** 53, -1n, 2n ** 64n])("refuses to write %s", (value) => {
    expect(() => encode(value)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
