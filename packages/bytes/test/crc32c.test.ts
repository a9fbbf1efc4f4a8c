import { readGoldenJson } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { crc32c, fromHex } from "../src/index.js";

const golden = readGoldenJson("blocks/primitives.json") as {
  crc32c: { hex: string; crc: number; crc_continued_from_123456789: number }[];
};

describe("CRC-32C", () => {
  test.each([
    ["", 0],
    ["123456789", 0xe3069283],
    ["abcdefgh", 0x0a9421b7],
  ])("matches the published value for %j", (text, expected) => {
    expect(crc32c(new TextEncoder().encode(text))).toBe(expected);
  });

  test("matches Kudu's for every golden vector", () => {
    expect(golden.crc32c.length).toBeGreaterThan(10);
    for (const { hex, crc } of golden.crc32c) {
      expect(crc32c(fromHex(hex))).toBe(crc);
    }
  });

  test("matches bitwise division by the polynomial, at every alignment", () => {
    const bitwise = (bytes: Uint8Array): number => {
      let crc = 0xffffffff;
      for (const byte of bytes) {
        crc ^= byte;
        for (let bit = 0; bit < 8; bit++) {
          crc = (crc >>> 1) ^ (crc & 1 ? 0x82f63b78 : 0);
        }
      }
      return ~crc >>> 0;
    };
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 200, maxLength: 400 }),
        fc.nat(20),
        fc.nat(150),
        (bytes, start, cut) => {
          const end = bytes.length - cut;
          expect(crc32c(bytes, start, end)).toBe(bitwise(bytes.subarray(start, end)));
        },
      ),
      { seed: 2 },
    );
  });

  test("can be computed in pieces, and over part of an array", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), (bytes, at) => {
        const cut = Math.min(at, bytes.length);
        const whole = crc32c(bytes);
        expect(crc32c(bytes, cut, bytes.length, crc32c(bytes, 0, cut))).toBe(whole);
        expect(crc32c(bytes.subarray(cut))).toBe(crc32c(bytes, cut));
      }),
      { seed: 1 },
    );
  });
});
