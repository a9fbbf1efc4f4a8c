import { ByteBuilder, ByteReader, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readVarint32, varintLength, writeVarint32 } from "../src/index.js";
import { golden } from "./golden.js";

const encode = (value: number): Uint8Array => {
  const out = new ByteBuilder();
  writeVarint32(out, value);
  return out.finish();
};
const decode = (hex: string): [value: number, position: number] => {
  const reader = new ByteReader(fromHex(hex));
  return [readVarint32(reader, "count"), reader.position];
};

describe("varint32", () => {
  it("matches Kudu's bytes in both directions", () => {
    expect(golden.varint32.length).toBeGreaterThan(100);
    for (const { v, hex } of golden.varint32) {
      expect(toHex(encode(v))).toBe(hex);
      expect(varintLength(v)).toBe(hex.length / 2);
      expect(decode(hex)).toEqual([v, hex.length / 2]);
    }
  });

  it("round-trips any value, and reads no further than its end", () => {
    fc.assert(
      fc.property(fc.nat({ max: 0xffffffff }), (value) => {
        const bytes = encode(value);
        expect(bytes.length).toBe(varintLength(value));
        expect(decode(`${toHex(bytes)}ff`)).toEqual([value, bytes.length]);
      }),
      { seed: 1 },
    );
  });

  it.each([
    ["more bytes than needed", "8000", 0],
    ["five bytes for a small value", "ac82808000", 300],
    ["bits above 32, which are dropped", "ffffffff7f", 0xffffffff],
    ["only bits above 32", "8080808070", 0],
  ])("accepts %s", (_, hex, value) => {
    expect(decode(hex)).toEqual([value, hex.length / 2]);
  });

  it("rejects a fifth byte with a continuation bit, and reports the offset of the value", () => {
    const reader = new ByteReader(fromHex("00ffffffff8000"), 1);
    expect(() => readVarint32(reader, "count")).toThrow(
      expect.objectContaining({ code: "E_CORRUPT", field: "count", offset: 1 }),
    );
  });

  it("rejects every truncation", () => {
    for (const hex of ["", "80", "ffff", "80808080"]) {
      expect(() => decode(hex)).toThrow(expect.objectContaining({ code: "E_TRUNCATED", field: "count" }));
    }
  });

  it("does not read past the end of the reader", () => {
    const reader = new ByteReader(fromHex("ac02"), 0, 1);
    expect(() => readVarint32(reader, "count")).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
  });

  it.each([-1, 0.5, 2 ** 32, Number.NaN, Number.POSITIVE_INFINITY])("refuses to write %d", (value) => {
    expect(() => encode(value)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
