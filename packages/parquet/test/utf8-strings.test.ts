/** Whether strings are UTF-8, with the same result as decoding each one separately. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { areUtf8, isAscii } from "../src/read/utf8-strings.js";

function column(strings: readonly Uint8Array[], before: number): Parameters<typeof areUtf8>[0] {
  const offsets = new Int32Array(strings.length + 1);
  offsets[0] = before;
  for (const [i, { length }] of strings.entries()) {
    offsets[i + 1] = (offsets[i] as number) + length;
  }
  const data = Uint8Array.from([...new Uint8Array(before).fill(0xff), ...Buffer.concat(strings), 0xff]);
  return { offsets, data, length: strings.length };
}

function isOneUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

describe("areUtf8", () => {
  const text = fc.string({ unit: "grapheme", maxLength: 12 }).map((value) => new TextEncoder().encode(value));
  const piece = fc.oneof(
    { weight: 8, arbitrary: text },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 5 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...[[0xc3], [0xa4], [0xef, 0xbb, 0xbf]].map((b) => Uint8Array.from(b))),
    },
  );

  test("holds if every string is UTF-8 by itself", () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.nat(9), (strings, before) => {
        expect(areUtf8(column(strings, before))).toBe(strings.every(isOneUtf8));
      }),
      { seed: 1, numRuns: 2000 },
    );
  });

  test("rejects a character split across two strings", () => {
    expect(areUtf8(column([Uint8Array.of(0xc3), Uint8Array.of(0xa4)], 0))).toBe(false);
  });

  test.each([0, 3, 63, 64, 255, 256, 257, 300])("detects an invalid byte at offset %i of 301", (at) => {
    for (const before of [0, 1, 2, 3]) {
      const bytes = new Uint8Array(301).fill(0x61);
      expect(areUtf8(column([bytes], before))).toBe(true);
      bytes[at] = 0x80;
      expect(areUtf8(column([bytes], before))).toBe(false);
    }
  });
});

test("the portable loop finds a byte above 127 at any place", () => {
  for (let length = 0; length < 300; length++) {
    for (const before of [0, 1, 2, 3]) {
      const bytes = new Uint8Array(length + 8).subarray(before, before + length);
      expect(isAscii(bytes)).toBe(true);
      for (const at of [0, 3, 4, 7, 8, length >> 1, length - 5, length - 1].filter(
        (i) => i >= 0 && i < length,
      )) {
        bytes[at] = 0x80;
        expect(isAscii(bytes)).toBe(false);
        bytes[at] = 0x7f;
      }
    }
  }
});
