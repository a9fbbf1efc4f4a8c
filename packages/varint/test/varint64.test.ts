import { ByteBuilder, ByteReader, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readVarint64, readVarint64BigInt, varintLength, writeVarint64 } from "../src/index.js";
import { golden } from "./golden.js";

const encode = (value: number | bigint): string => {
  const out = new ByteBuilder();
  writeVarint64(out, value);
  return toHex(out.finish());
};
const decodeNumber = (hex: string): number => readVarint64(new ByteReader(fromHex(hex)), "offset");
const decodeBigInt = (hex: string): bigint => readVarint64BigInt(new ByteReader(fromHex(hex)), "offset");

describe("varint64", () => {
  it("matches Kudu's bytes in both directions", () => {
    expect(golden.varint64.length).toBeGreaterThan(100);
    for (const { v, hex } of golden.varint64) {
      const value = BigInt(v);
      expect(encode(value)).toBe(hex);
      expect(varintLength(value)).toBe(hex.length / 2);
      expect(decodeBigInt(hex)).toBe(value);
      if (value <= BigInt(Number.MAX_SAFE_INTEGER)) {
        expect(encode(Number(value))).toBe(hex);
        expect(varintLength(Number(value))).toBe(hex.length / 2);
        expect(decodeNumber(hex)).toBe(Number(value));
      } else {
        expect(() => decodeNumber(hex)).toThrow(
          expect.objectContaining({ code: "E_CORRUPT", field: "offset", offset: 0 }),
        );
      }
    }
  });

  it("round-trips any value, and reads no further than its end", () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
        fc.integer({ min: 0, max: 63 }),
        (wide, shift) => {
          const value = wide >> BigInt(shift);
          const hex = encode(value);
          const reader = new ByteReader(fromHex(`${hex}ff`));
          expect(readVarint64BigInt(reader, "offset")).toBe(value);
          expect(reader.remaining).toBe(1);
        },
      ),
      { seed: 2 },
    );
  });

  it.each([
    ["more bytes than needed", "8000", 0n],
    ["ten bytes for a small value", "ac828080808080808000", 300n],
    ["bits above 64, which are dropped", "ffffffffffffffffff7f", 2n ** 64n - 1n],
    ["only bits above 64", "8080808080808080807e", 0n],
  ])("accepts %s", (_, hex, value) => {
    expect(decodeBigInt(hex)).toBe(value);
  });

  it("rejects a tenth byte with a continuation bit", () => {
    const hex = "ffffffffffffffffff8000";
    const error = expect.objectContaining({ code: "E_CORRUPT", field: "offset", offset: 0 });
    expect(() => decodeNumber(hex)).toThrow(error);
    expect(() => decodeBigInt(hex)).toThrow(error);
  });

  it("rejects every truncation", () => {
    for (let length = 0; length < 10; length++) {
      const hex = "80".repeat(length);
      const error = expect.objectContaining({ code: "E_TRUNCATED", field: "offset" });
      expect(() => decodeNumber(hex)).toThrow(error);
      expect(() => decodeBigInt(hex)).toThrow(error);
    }
  });

  it.each([-1, 0.5, 2 ** 53, Number.NaN, -1n, 2n ** 64n])("refuses to write %s", (value) => {
    const error = expect.objectContaining({ code: "E_INVALID_ARGUMENT" });
    expect(() => encode(value)).toThrow(error);
    expect(() => varintLength(value)).toThrow(error);
  });
});
