import { concatBytes, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { compress as snappyjsCompress, uncompress as snappyjsUncompress } from "snappyjs";
import { describe, expect, it } from "vitest";
import { snappyCodec, snappyCompress, snappyDecompress } from "../src/codecs.js";
import { goldenBlocks } from "./golden-blocks.js";
import { sample, sampleKinds } from "./sample-bytes.js";
import { copy1, copy2, copy4, literals, snappyStream } from "./snappy-elements.js";

const GUARD = 9;

/** The content, or "error", which must be typed; nothing around the output may change. */
function outcome(stream: Uint8Array, size: number): string {
  const larger = new Uint8Array(size + 2 * GUARD).fill(0x5a);
  let result: string;
  try {
    const output = larger.subarray(GUARD, GUARD + size);
    snappyDecompress(concatBytes([fromHex("00"), stream, fromHex("00")]).subarray(1, -1), output);
    result = toHex(output);
  } catch (error) {
    expect(isCFileError(error)).toBe(true);
    if (isCFileError(error)) {
      expect(["E_TRUNCATED", "E_CORRUPT"]).toContain(error.code);
      expect(error.field).toMatch(/^Snappy /);
      expect(error.offset).toBeGreaterThanOrEqual(0);
      expect(error.offset).toBeLessThanOrEqual(stream.length);
    }
    result = "error";
  }
  expect(toHex(larger.subarray(0, GUARD)) + toHex(larger.subarray(GUARD + size))).toBe(
    "5a".repeat(2 * GUARD),
  );
  return result;
}

const GOLDEN_FILES = [
  "comp_snappy_binary_prefix",
  "comp_snappy_binary_prefix_null",
  "comp_snappy_int32_plain",
  "comp_snappy_int32_plain_null",
  "comp_snappy_int64_bshuf_null",
  "comp_snappy_string_dict",
  "comp_snappy_string_dict_null",
  "comp_snappy_string_plain",
  "comp_snappy_string_plain_null",
  "dict_overflow_4",
  "large_string_plain_snappy_null",
];

describe("Snappy decompression", () => {
  it.each(GOLDEN_FILES)("decompresses the blocks of %s like snappyjs", (name) => {
    const blocks = goldenBlocks(name, snappyCodec).filter(({ raw }) => !raw);
    expect(blocks.length).toBeGreaterThan(0);
    for (const { stored, size } of blocks) {
      const output = new Uint8Array(size);
      snappyDecompress(stored, output);
      expect(Buffer.compare(output, snappyjsUncompress(stored))).toBe(0);
    }
  });

  it.each(sampleKinds)("decompresses what snappyjs compressed from %s", (kind) => {
    for (const length of [0, 1, 14, 15, 16, 60, 61, 256, 257, 5000, 65535, 65536, 65537, 150000]) {
      const input = sample(kind, length);
      const output = new Uint8Array(length);
      snappyDecompress(snappyjsCompress(input), output);
      expect(Buffer.compare(output, input)).toBe(0);
    }
  });

  const noise = sample("noise", 70000);
  const first = (length: number): Uint8Array => noise.subarray(0, length);
  it.each([
    ["nothing", [], []],
    ["a literal", [literals(first(1))], [0, 1]],
    ["60 literals", [literals(first(60))], [0, 60]],
    ["literals with a length of one byte", [literals(first(256), 1)], [0, 256]],
    ["literals with a length of two bytes", [literals(first(300), 2)], [0, 300]],
    ["literals with a length of three bytes", [literals(first(70000), 3)], [0, 70000]],
    ["literals with a length of four bytes", [literals(first(5), 4)], [0, 5]],
    ["a copy of kind 1", [literals(first(20)), copy1(11, 20)], [0, 20, 0, 11]],
    ["one over its longest distance", [literals(first(2047), 2), copy1(4, 2047)], [0, 2047, 0, 4]],
    ["a copy of kind 2", [literals(first(20)), copy2(3, 17)], [0, 20, 3, 6]],
    ["one of 64 bytes", [literals(first(100), 1), copy2(64, 99)], [0, 100, 1, 65]],
    ["one over its longest distance", [literals(first(65535), 2), copy2(64, 65535)], [0, 65535, 0, 64]],
    ["a copy of kind 4", [literals(first(20)), copy4(1, 1)], [0, 20, 19, 20]],
    ["one beyond a fragment", [literals(first(70000), 3), copy4(64, 70000)], [0, 70000, 0, 64]],
  ] as const)("decompresses %s", (_, parts, ranges) => {
    const expected = [];
    for (let i = 0; i < ranges.length; i += 2) {
      expected.push(noise.subarray(ranges[i], ranges[i + 1]));
    }
    const content = concatBytes(expected);
    const stream = snappyStream(content.length, ...parts);
    expect(outcome(stream, content.length)).toBe(toHex(content));
  });

  it("decompresses overlapping matches at every short distance and length", () => {
    for (let distance = 1; distance <= 70; distance++) {
      for (let length = 1; length <= 64; length++) {
        const expected = [...first(70)];
        for (let i = 0; i < length; i++) {
          expected.push(expected[expected.length - distance] ?? 0);
        }
        const copies = [copy2(length, distance), copy4(length, distance)];
        if (length >= 4 && length < 12) {
          copies.push(copy1(length, distance));
        }
        for (const copy of copies) {
          const stream = snappyStream(70 + length, literals(first(70), 1), copy);
          expect(outcome(stream, 70 + length)).toBe(toHex(Uint8Array.from(expected)));
        }
      }
    }
  });
});

describe("an invalid Snappy stream", () => {
  const ten = literals(sample("noise", 10));

  it.each([
    ["without a length", fromHex(""), 0, "E_TRUNCATED", "Snappy length", 0],
    ["with a cut length", fromHex("80"), 0, "E_TRUNCATED", "Snappy length", 0],
    ["with an endless length", fromHex("ffffffffff01"), 0, "E_CORRUPT", "Snappy length", 0],
    ["for fewer bytes", snappyStream(9, ten), 10, "E_CORRUPT", "Snappy length", 0],
    ["for more bytes", snappyStream(11, ten), 10, "E_CORRUPT", "Snappy length", 0],
    ["for 4 GiB", snappyStream(2 ** 32 - 1, ten), 10, "E_CORRUPT", "Snappy length", 0],
    ["that is only a length", fromHex("0a"), 10, "E_TRUNCATED", "Snappy stream", 1],
    ["that gives fewer bytes than it says", snappyStream(12, ten), 12, "E_TRUNCATED", "Snappy stream", 12],
    ["that gives more bytes than it says", snappyStream(9, ten), 9, "E_CORRUPT", "Snappy literals", 2],
    ["with a copy too long", snappyStream(12, ten, copy2(3, 1)), 12, "E_CORRUPT", "Snappy match", 15],
    ["with an element too many", snappyStream(10, ten, copy2(1, 1)), 10, "E_CORRUPT", "Snappy match", 15],
    ["with a cut literal", fromHex("04" + "0c6162"), 4, "E_TRUNCATED", "Snappy literals", 2],
    ["with a cut literal length", fromHex("04" + "f400"), 4, "E_TRUNCATED", "Snappy literal length", 2],
    ["with 2^32 literals", fromHex("04" + "fcffffffff" + "61"), 4, "E_TRUNCATED", "Snappy literals", 6],
    [
      "with a cut copy of kind 1",
      snappyStream(14, ten, fromHex("01")),
      14,
      "E_TRUNCATED",
      "Snappy distance",
      13,
    ],
    [
      "with a cut copy of kind 2",
      snappyStream(14, ten, fromHex("0e01")),
      14,
      "E_TRUNCATED",
      "Snappy distance",
      13,
    ],
    [
      "with a cut copy of kind 4",
      snappyStream(14, ten, fromHex("0f010000")),
      14,
      "E_TRUNCATED",
      "Snappy distance",
      13,
    ],
    ["with distance 0 of kind 1", snappyStream(14, ten, copy1(4, 0)), 14, "E_CORRUPT", "Snappy distance", 13],
    ["with distance 0 of kind 2", snappyStream(14, ten, copy2(4, 0)), 14, "E_CORRUPT", "Snappy distance", 13],
    ["with distance 0 of kind 4", snappyStream(14, ten, copy4(4, 0)), 14, "E_CORRUPT", "Snappy distance", 13],
    [
      "with a distance beyond the start",
      snappyStream(14, ten, copy1(4, 11)),
      14,
      "E_CORRUPT",
      "Snappy distance",
      13,
    ],
    [
      "with a distance of 4 GiB",
      snappyStream(14, ten, copy4(4, 2 ** 32 - 1)),
      14,
      "E_CORRUPT",
      "Snappy distance",
      13,
    ],
    ["that starts with a copy", snappyStream(4, copy1(4, 1)), 4, "E_CORRUPT", "Snappy distance", 2],
  ] as const)("%s is rejected at its offset", (_, stream, size, code, field, offset) => {
    expect(outcome(stream, size)).toBe("error");
    expect(() => snappyCodec.decompress(stream, new Uint8Array(size))).toThrow(
      expect.objectContaining({ code, field, offset }),
    );
  });

  it("is rejected at every truncation and for every other size", () => {
    for (const kind of ["mixed", "text", "zeros"] as const) {
      const stream = snappyCompress(sample(kind, 900));
      expect(outcome(stream, 900)).not.toBe("error");
      for (let length = 0; length < stream.length; length++) {
        expect(outcome(stream.slice(0, length), 900)).toBe("error");
      }
      for (let size = 0; size < 1000; size++) {
        expect(outcome(stream, size) === "error").toBe(size !== 900);
      }
      expect(outcome(concatBytes([stream, fromHex("00")]), 900)).toBe("error");
    }
  });

  it("yields an error or a value when bytes change", () => {
    const good = [snappyCompress(sample("mixed", 700)), snappyCompress(sample("narrow", 700))];
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    fc.assert(
      fc.property(fc.constantFrom(...good), changes, (stream, differences) => {
        const changed = stream.slice();
        for (const [at, difference] of differences) {
          changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ difference;
        }
        outcome(changed, 700);
      }),
      { numRuns: 3000, seed: 5 },
    );
  });

  it("yields an error or a value for arbitrary bytes", () => {
    const byte = fc.oneof(
      fc.constantFrom(0, 1, 2, 3, 4, 8, 0xf0, 0xf4, 0xf8, 0xfc, 0xff),
      fc.nat({ max: 255 }),
    );
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), fc.nat({ max: 127 }), (bytes, size) => {
        outcome(Uint8Array.of(size, ...bytes), size);
      }),
      { numRuns: 4000, seed: 6 },
    );
  });
});
