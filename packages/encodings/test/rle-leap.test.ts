import { chooseKernels } from "@cfile/kernels/encode";
import { randomNumbers } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { RleDecoder } from "../src/codecs/rle/rle-decoder.js";
import { resolveEncoding } from "../src/index.js";
import { openRleBlock, rleEncode } from "../src/rle.js";
import { loadBlockBuilder } from "../src/write.js";

describe("a leap over decoded runs", () => {
  const runs = fc.array(fc.tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 40 })), {
    minLength: 1,
    maxLength: 200,
  });

  it("continues at the right value, forward and back", () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(), { maxLength: 8 }), (pairs, leaps) => {
        const values = pairs.flatMap(([value, times]) => Array<number>(times).fill(value));
        const bytes = rleEncode(values, 8);
        const decoder = new RleDecoder(bytes, 0, bytes.length, 8);
        for (const leap of leaps) {
          const count = leap % (values.length - decoder.position + 1);
          const target = new RleDecoder(bytes, 0, bytes.length, 8);
          target.skip(decoder.position + count);
          const { start, skipped } = target.nextValue();
          decoder.leap(count, start, skipped);
          for (const position of [decoder.position, leap % (values.length + 1), decoder.position]) {
            decoder.seek(position);
            const rest = values.slice(position);
            const decoded = new Uint8Array(rest.length);
            decoder.decodeInto(decoded, 0, rest.length);
            expect(decoded).toEqual(Uint8Array.from(rest));
            decoder.seek(position);
          }
        }
      }),
      { seed: 1, numRuns: 200 },
    );
  });

  it("is at the end after the last value of the stream", () => {
    const bytes = rleEncode([5, 5, 5, 5, 5, 5, 5, 5, 5], 8);
    const decoder = new RleDecoder(bytes, 0, bytes.length, 8);
    expect(decoder.nextValue()).toEqual({ start: 0, skipped: 0 });
    decoder.leap(9, 0, 9);
    expect(decoder.atEnd).toBe(true);
    expect(decoder.nextValue()).toEqual({ start: bytes.length, skipped: 0 });
  });
});

/** A block of 20,000 values in runs of up to 600, with literals between some of them. */
function longBlock(width: number, seed: number) {
  const next = randomNumbers(seed);
  const values: number[] = [];
  while (values.length < 20_000) {
    const length = 1 + next(600);
    const isLiteral = next(2) === 0;
    const value = next(2);
    for (let i = 0; i < length; i++) {
      values.push(isLiteral ? next(2) : value);
    }
  }
  const stream = rleEncode(values, width);
  const bytes = new Uint8Array(8 + stream.length);
  new DataView(bytes.buffer).setUint32(0, values.length, true);
  bytes.set(stream, 8);
  return { bytes, count: values.length };
}

describe("ranges of a block", () => {
  it.each([
    ["BOOL", 1],
    ["INT8", 8],
    ["INT32", 32],
    ["INT64", 64],
  ] as const)("are the same with SIMD and with portable kernels, in any order: %s", (type, width) => {
    const { bytes, count } = longBlock(width, 7);
    const simd = openRleBlock(type, bytes, { kernels: chooseKernels("simd") });
    const portable = openRleBlock(type, bytes);
    const next = randomNumbers(8);
    for (let turn = 0, at = 0; turn < 200; turn++) {
      const from = turn % 3 === 0 ? next(count) : at;
      const to = Math.min(count, from + 1 + next(2000));
      expect(simd.decode(from, to)).toEqual(portable.decode(from, to));
      at = to % count;
    }
  });
});

describe("without a table, the encodings of Kudu", () => {
  it("resolve AUTO and build blocks", async () => {
    expect(resolveEncoding("INT32", "AUTO_ENCODING")).toBe("BIT_SHUFFLE");
    expect(resolveEncoding("BOOL", "PREFIX_ENCODING")).toBeUndefined();
    expect(typeof (await loadBlockBuilder("INT32", "RLE"))).toBe("function");
  });
});
