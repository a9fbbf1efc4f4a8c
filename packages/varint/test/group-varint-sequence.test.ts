import { ByteBuilder, ByteReader, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readGroupVarintSequence, writeGroupVarintSequence } from "../src/group-varint.js";
import { golden } from "./golden.js";

const encode = (values: readonly number[], frameOfReference = 0): Uint8Array => {
  const out = new ByteBuilder();
  writeGroupVarintSequence(out, values, 0, values.length, frameOfReference);
  return out.finish();
};
const decode = (bytes: Uint8Array, count: number, frameOfReference = 0): number[] => {
  const output = new Uint32Array(count);
  const reader = new ByteReader(bytes);
  readGroupVarintSequence(reader, count, output, frameOfReference);
  expect(reader.remaining).toBe(0);
  return [...output];
};

describe("group varint sequence", () => {
  it("matches Kudu's bytes in both directions", () => {
    expect(golden.group_varint32_sequence.length).toBeGreaterThan(8);
    for (const { v, hex, frame_of_reference } of golden.group_varint32_sequence) {
      expect(toHex(encode(v, frame_of_reference))).toBe(hex);
      expect(decode(fromHex(hex), v.length, frame_of_reference)).toEqual(v);
    }
  });

  it("matches the example in the specification", () => {
    expect(toHex(encode([12, 13, 13, 16, 500]))).toBe("000c0d0d1040f401000000");
    expect(encode([]).length).toBe(0);
  });

  it("round-trips any values with any frame of reference", () => {
    const value = fc.oneof(fc.nat({ max: 0xffffffff }), fc.nat({ max: 0xffffff }), fc.nat({ max: 0xff }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 200 }), fc.boolean(), (values, framed) => {
        const frame = framed ? values.reduce((min, v) => Math.min(min, v), 0xffffffff) : 0;
        expect(decode(encode(values, frame), values.length, frame)).toEqual(values);
      }),
      { seed: 5 },
    );
  });

  it("reads each of the 256 selectors, near the end of the bytes and far from it", () => {
    for (let selector = 0; selector < 256; selector++) {
      const values = [6, 4, 2, 0].map((shift) => 0xa1b2c3d4 >>> (24 - 8 * ((selector >>> shift) & 3)));
      const bytes = encode([...values, ...values, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
      expect(bytes[0]).toBe(selector);
      expect(decode(bytes, 20).slice(0, 8)).toEqual([...values, ...values]);
    }
  });

  it("reads and writes a range of a larger array", () => {
    const out = new ByteBuilder();
    writeGroupVarintSequence(out, Uint32Array.of(9, 1, 2, 3, 4, 5, 9), 1, 6);
    expect(toHex(out.view8())).toBe("00010203040005000000");
    const output = new Int32Array(8).fill(-1);
    readGroupVarintSequence(new ByteReader(out.view8()), 5, output.subarray(2));
    expect([...output]).toEqual([-1, -1, 1, 2, 3, 4, 5, -1]);
  });

  it("ignores the padding of the last group", () => {
    expect(decode(fromHex("000c0d0e0f"), 1)).toEqual([12]);
  });

  it("checks the count against the remaining bytes before it reads", () => {
    const output = new Uint32Array(4);
    for (const count of [5, 2 ** 31, Number.POSITIVE_INFINITY, Number.NaN]) {
      expect(() => readGroupVarintSequence(new ByteReader(fromHex("0001020304")), count, output)).toThrow(
        expect.objectContaining({ code: "E_TRUNCATED" }),
      );
    }
    for (const [count, room] of [
      [4, 3],
      [-1, 4],
    ] as const) {
      expect(() =>
        readGroupVarintSequence(new ByteReader(fromHex("0001020304")), count, output.subarray(0, room)),
      ).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
    }
  });

  it("rejects every truncation", () => {
    const bytes = encode(Array.from({ length: 50 }, (_, i) => i * i * i * 31));
    for (let length = 0; length < bytes.length; length++) {
      expect(() => decode(bytes.subarray(0, length), 50)).toThrow(
        expect.objectContaining({ code: "E_TRUNCATED" }),
      );
    }
  });

  it("returns values or throws a CFileError for any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 100 }), (bytes, count) => {
        const output = new Int32Array(count + 2).fill(-7);
        try {
          readGroupVarintSequence(new ByteReader(bytes), count, output.subarray(1));
        } catch (error) {
          expect(isCFileError(error, "E_TRUNCATED")).toBe(true);
        }
        expect([output[0], output[count + 1]]).toEqual([-7, -7]);
      }),
      { seed: 6 },
    );
  });

  it("refuses to write values below the frame of reference", () => {
    expect(() => encode([5], 6)).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
