import fc from "fast-check";
import { expect, test } from "vitest";
import { utf8Bytes } from "../src/index.js";

test("utf8Bytes returns the same bytes as TextEncoder", () => {
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
