import { ByteBuilder, ByteReader, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readLengthPrefixed, writeLengthPrefixed } from "../src/index.js";

describe("length-prefixed bytes", () => {
  it("round-trip", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        const out = new ByteBuilder();
        writeLengthPrefixed(out, bytes);
        const reader = new ByteReader(out.finish());
        expect(toHex(readLengthPrefixed(reader, "key"))).toBe(toHex(bytes));
        expect(reader.remaining).toBe(0);
      }),
      { seed: 7 },
    );
  });

  it.each(["", "80", "03", "036162", "ffffffff0f61"])("are rejected when truncated: %j", (hex) => {
    expect(() => readLengthPrefixed(new ByteReader(fromHex(hex)), "key")).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED" }),
    );
  });
});
