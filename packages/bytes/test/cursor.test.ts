import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  ByteBuilder,
  ByteReader,
  commonPrefixLength,
  compareBytes,
  compareRange,
  concatBytes,
  equalBytes,
  fromHex,
  isCFileError,
  toHex,
} from "../src/index.js";

describe("ByteReader and ByteBuilder", () => {
  test("ByteReader reads what ByteBuilder writes", () => {
    const out = new ByteBuilder(1);
    out.u8(0xab);
    out.u16le(0x1234);
    out.u32le(0xdeadbeef);
    out.u32be(0xdeadbeef);
    out.append(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8));
    const position = out.length;
    out.u32le(0);
    out.setU32le(position, 77);
    const bytes = out.finish();
    expect(toHex(bytes)).toBe("ab3412efbeaddedeadbeef01020304050607084d000000");
    const reader = new ByteReader(bytes);
    expect(reader.u8("a")).toBe(0xab);
    expect(reader.u16le("b")).toBe(0x1234);
    expect(reader.u32le("c")).toBe(0xdeadbeef);
    expect(reader.u32be("d")).toBe(0xdeadbeef);
    expect(reader.u64le("e")).toBe(0x0807060504030201n);
    reader.skip(1, "f");
    expect([...reader.take(3, "g")]).toEqual([0, 0, 0]);
    expect(reader.remaining).toBe(0);
  });

  test("reading past the end throws E_TRUNCATED with the field's name, for any requested length", () => {
    for (const length of [5, -1, Number.NaN, 2 ** 53, Number.POSITIVE_INFINITY]) {
      const reader = new ByteReader(new Uint8Array(4));
      expect(() => reader.take(length, "payload")).toThrow(
        expect.objectContaining({ code: "E_TRUNCATED", field: "payload", offset: 0 }),
      );
    }
    const empty = new ByteReader(new Uint8Array(9), 4, 4);
    for (const read of ["u8", "u16le", "u32le", "u32be", "u64le"] as const) {
      expect(() => empty[read]("x")).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
    }
    expect(() => new ByteReader(new Uint8Array(4), 2, 9)).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED" }),
    );
  });

  test("clear() removes the content", () => {
    const out = new ByteBuilder();
    out.append(Uint8Array.of(1, 2));
    out.clear();
    out.u8(9);
    expect([...out.view8()]).toEqual([9]);
  });
});

describe("byte strings", () => {
  test("compare as unsigned bytes, a prefix before longer strings", () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.uint8Array(), (a, b) => {
        const expected = Math.sign(Buffer.compare(a, b));
        expect(Math.sign(compareBytes(a, b))).toBe(expected);
        const padded = concatBytes([Uint8Array.of(7), a, Uint8Array.of(7)]);
        expect(Math.sign(compareRange(padded, 1, 1 + a.length, b))).toBe(expected);
        expect(equalBytes(a, b)).toBe(expected === 0);
        const shared = commonPrefixLength(a, b);
        expect(a.slice(0, shared)).toEqual(b.slice(0, shared));
        expect(shared === a.length || shared === b.length || a[shared] !== b[shared]).toBe(true);
      }),
      { seed: 1 },
    );
  });

  test("convert to hexadecimal text and back; other text is rejected", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(toHex(bytes)).toBe(Buffer.from(bytes).toString("hex"));
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
      { seed: 1 },
    );
    expect([...fromHex("0A ff\n00")]).toEqual([10, 255, 0]);
    for (const bad of ["0", "0g", "0x00"]) {
      let caught: unknown;
      try {
        fromHex(bad);
      } catch (error) {
        caught = error;
      }
      expect(isCFileError(caught, "E_INVALID_ARGUMENT")).toBe(true);
    }
  });
});
