import { ByteBuilder, ByteReader, fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { groupVarintLength, readGroupVarint, writeGroupVarint } from "../src/group-varint.js";
import { golden } from "./golden.js";

const encode = ([a = 0, b = 0, c = 0, d = 0]: readonly number[]): string => {
  const out = new ByteBuilder();
  writeGroupVarint(out, a, b, c, d);
  return toHex(out.finish());
};
const decode = (hex: string): number[] => {
  const output = new Uint32Array(4);
  readGroupVarint(new ByteReader(fromHex(hex)), output);
  return [...output];
};

describe("group varint", () => {
  it("matches Kudu's bytes in both directions", () => {
    expect(golden.group_varint32.length).toBeGreaterThan(30);
    for (const { v, hex } of golden.group_varint32) {
      expect(encode(v)).toBe(hex);
      expect(decode(hex)).toEqual(v);
      expect(groupVarintLength(Number.parseInt(hex.slice(0, 2), 16))).toBe(hex.length / 2);
    }
  });

  it("matches the example in the specification", () => {
    expect(encode([1, 300, 0, 70000])).toBe("12012c0100701101");
  });

  it("round-trips any values", () => {
    const value = fc.oneof(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffff }), fc.nat({ max: 0xff }));
    fc.assert(
      fc.property(fc.tuple(value, value, value, value), (values) => {
        expect(decode(encode(values))).toEqual(values);
      }),
      { seed: 4 },
    );
  });

  it("reads into part of a larger array; values from 2^31 on are negative in an Int32Array", () => {
    const output = new Int32Array(6);
    readGroupVarint(new ByteReader(fromHex(encode([1, 0xffffffff, 3, 4]))), output, 1);
    expect([...output]).toEqual([0, 1, -1, 3, 4, 0]);
    expect(() => readGroupVarint(new ByteReader(fromHex("0001020304")), output, 3)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("rejects every truncation", () => {
    for (const hex of ["0001020304", encode([0xffffffff, 1, 300, 70000])]) {
      for (let length = 0; length < hex.length; length += 2) {
        expect(() => decode(hex.slice(0, length))).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
      }
    }
  });

  it.each([[-1], [2 ** 32], [0.5], [Number.NaN]])("refuses to write %d", (value) => {
    expect(() => encode([0, 0, 0, value])).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
