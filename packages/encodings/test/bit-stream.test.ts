/** The fast path from bit streams to bitmaps accepts all streams that writers produce, and agrees with `RleDecoder`. */
import { bitmapByteLength } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readBitStream } from "../src/codecs/bit-stream.js";
import { RleDecoder, RleEncoder } from "../src/rle.js";

const bits = fc
  .array(fc.tuple(fc.boolean(), fc.nat(40)), { maxLength: 60 })
  .map((runs) => runs.flatMap(([bit, length]) => Array<boolean>(length).fill(bit)));

function byDecoder(bytes: Uint8Array, start: number, end: number, count: number): number[] {
  const bitmap = new Uint8Array(bitmapByteLength(count));
  new RleDecoder(bytes, start, end, 1).decodeBits(bitmap, 0, count);
  return [...bitmap];
}

describe("a stream of bits", () => {
  test("matches the RLE decoder", () => {
    fc.assert(
      fc.property(bits, fc.nat(5), (values, before) => {
        const encoder = new RleEncoder(1);
        for (const bit of values) {
          encoder.put(bit ? 1 : 0);
        }
        const stream = encoder.finish();
        const bytes = new Uint8Array(before + stream.length + 3).fill(0xee);
        bytes.set(stream, before);
        const end = before + stream.length;
        expect([...(readBitStream(bytes, before, end, values.length) ?? [])]).toEqual(
          byDecoder(bytes, before, end, values.length),
        );
        // A stream is only valid for its own count, because only the last literals may leave a few bits unused.
        expect(readBitStream(bytes, before, end, values.length + 8)).toBeUndefined();
      }),
      { seed: 21, numRuns: 400 },
    );
  });

  test.each<[string, number[], number]>([
    ["no runs", [], 1],
    ["a run of no values", [0x00, 1], 1],
    ["no groups", [0x01], 1],
    ["a value that is no bit", [0x02, 2], 1],
    ["a run that is too long", [0x06, 1], 2],
    ["a header without end", [0x80], 1],
    ["a header of too many bytes", [0x82, 0x80, 0x80, 0x80, 0x00, 1], 1],
    ["literals that end early", [0x05, 0xff], 16],
    ["bytes left over", [0x02, 1, 0], 1],
  ])("%s is left to the RLE decoder", (_, stream, count) => {
    expect(readBitStream(Uint8Array.from(stream), 0, stream.length, count)).toBeUndefined();
  });

  test("random bytes that it accepts decode as in the RLE decoder", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 12 }), fc.nat(60), (bytes, count) => {
        const bitmap = readBitStream(bytes, 0, bytes.length, count);
        if (bitmap !== undefined) {
          expect([...bitmap]).toEqual(byDecoder(bytes, 0, bytes.length, count));
        }
      }),
      { seed: 22, numRuns: 20_000 },
    );
  });
});
