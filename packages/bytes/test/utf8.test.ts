import fc from "fast-check";
import { expect, test } from "vitest";
import { copyRange, utf8Bytes } from "../src/index.js";

test("text becomes the bytes that TextEncoder makes of it", () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string({ maxLength: 100 }), fc.string({ unit: "binary", maxLength: 80 })),
      (text) => {
        expect(utf8Bytes(text)).toEqual(new TextEncoder().encode(text));
      },
    ),
    { seed: 1 },
  );
  expect(utf8Bytes("a\ud800")).toEqual(Uint8Array.of(0x61, 0xef, 0xbf, 0xbd));
});

test("a range that is copied has memory of its own, long or short", () => {
  const bytes = Uint8Array.from({ length: 300 }, (_, i) => i);
  for (const [start, end] of [
    [0, 0],
    [5, 6],
    [3, 67],
    [3, 68],
    [0, 300],
  ] as const) {
    const copy = copyRange(bytes, start, end);
    expect(copy).toEqual(bytes.subarray(start, end));
    expect(copy.buffer).not.toBe(bytes.buffer);
  }
});
