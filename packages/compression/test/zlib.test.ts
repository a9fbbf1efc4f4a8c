import { constants, deflateSync, inflateSync } from "node:zlib";
import { concatBytes, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { zlibCodec, zlibCompress, zlibDecompress } from "../src/codecs.js";
import { goldenBlocks } from "./golden-blocks.js";
import { sample, sampleKinds } from "./sample-bytes.js";

const GOLDEN_FILES = [
  "comp_zlib_binary_prefix",
  "comp_zlib_binary_prefix_null",
  "comp_zlib_incompressible",
  "comp_zlib_int16_rle",
  "comp_zlib_int16_rle_null",
  "comp_zlib_int32_plain",
  "comp_zlib_int32_plain_null",
  "comp_zlib_int64_bshuf",
  "comp_zlib_int64_bshuf_null",
  "comp_zlib_string_dict",
  "comp_zlib_string_dict_null",
  "comp_zlib_string_plain",
  "comp_zlib_string_plain_null",
  "large_double_bshuf_zlib",
];

const GUARD = 9;

/** The content, or "error", which must be typed; nothing around the output may change. */
function outcome(stream: Uint8Array, size: number): string {
  const larger = new Uint8Array(size + 2 * GUARD).fill(0x5a);
  let result: string;
  try {
    const output = larger.subarray(GUARD, GUARD + size);
    zlibDecompress(concatBytes([fromHex("78"), stream, fromHex("00")]).subarray(1, -1), output);
    result = toHex(output);
  } catch (error) {
    expect(isCFileError(error)).toBe(true);
    if (isCFileError(error)) {
      expect(["E_TRUNCATED", "E_CORRUPT"]).toContain(error.code);
      expect(error.field).toBe("zlib stream");
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

describe("zlib", () => {
  it.each(GOLDEN_FILES)("reproduces and decompresses the blocks of %s", (name) => {
    const blocks = goldenBlocks(name, zlibCodec);
    for (const { stored, size, raw } of blocks) {
      if (raw) {
        expect(zlibCompress(stored).length).toBeGreaterThan(0.9 * size);
      } else {
        const content = new Uint8Array(size);
        zlibDecompress(stored, content);
        expect(Buffer.compare(content, inflateSync(stored))).toBe(0);
        expect(Buffer.compare(zlibCompress(content), stored)).toBe(0);
      }
    }
  });

  it("is compared with many of Kudu's blocks", () => {
    const blocks = GOLDEN_FILES.flatMap((name) => goldenBlocks(name, zlibCodec)).filter(({ raw }) => !raw);
    expect(blocks.length).toBeGreaterThan(30);
  });

  it.each(sampleKinds)("and node:zlib decompress each other's streams of %s", (kind) => {
    for (const length of [0, 1, 2, 13, 258, 259, 5000, 32768, 32769, 100000]) {
      const input = sample(kind, length);
      const stream = zlibCompress(input);
      expect(toHex(stream.subarray(0, 2))).toBe("789c");
      expect(Buffer.compare(inflateSync(stream), input)).toBe(0);
      for (const level of [0, 1, 9]) {
        const output = new Uint8Array(length);
        zlibDecompress(deflateSync(input, { level }), output);
        expect(Buffer.compare(output, input)).toBe(0);
      }
    }
  });

  it("decompresses smaller windows and every strategy", () => {
    const input = sample("mixed", 3000);
    for (const options of [
      { windowBits: 9 },
      { strategy: constants.Z_FIXED },
      { strategy: constants.Z_HUFFMAN_ONLY },
      { strategy: constants.Z_RLE },
      { memLevel: 1 },
    ]) {
      expect(outcome(deflateSync(input, options), 3000)).toBe(toHex(input));
    }
  });

  it("round-trips any bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400, size: "max" }), (input) => {
        expect(outcome(zlibCompress(input), input.length)).toBe(toHex(input));
      }),
      { numRuns: 200, seed: 8 },
    );
  });

  it("does not modify its input and returns its own memory", () => {
    const input = sample("text", 1000);
    const before = toHex(input);
    const stream = zlibCompress(input);
    expect(toHex(input)).toBe(before);
    expect(stream.buffer).not.toBe(input.buffer);
  });
});

describe("an invalid zlib stream", () => {
  const input = sample("text", 500);
  const good = zlibCompress(input);
  const changed = (at: number, value: number): Uint8Array => {
    const stream = good.slice();
    stream[at < 0 ? stream.length + at : at] = value;
    return stream;
  };

  it.each([
    ["of no bytes", new Uint8Array(0), 500, "E_TRUNCATED"],
    ["that is only a header", good.subarray(0, 2), 500, "E_TRUNCATED"],
    ["without its Adler-32", good.subarray(0, -4), 500, "E_TRUNCATED"],
    ["without the end of its Adler-32", good.subarray(0, -1), 500, "E_TRUNCATED"],
    ["with a wrong Adler-32", changed(-1, (good.at(-1) ?? 0) ^ 1), 500, "E_CORRUPT"],
    ["with a wrong header check", changed(1, 0x9d), 500, "E_CORRUPT"],
    ["with another method", fromHex("7701"), 500, "E_CORRUPT"],
    ["in gzip's wrapper", fromHex("1f8b0800000000000003"), 500, "E_CORRUPT"],
    ["without a wrapper", good.subarray(2), 500, "E_CORRUPT"],
    ["that wants a dictionary", deflateSync(input, { dictionary: input.subarray(0, 99) }), 500, "E_CORRUPT"],
    ["with a byte after it", concatBytes([good, fromHex("00")]), 500, "E_CORRUPT"],
    ["with another stream after it", concatBytes([good, good]), 500, "E_CORRUPT"],
    ["for more bytes", good, 499, "E_CORRUPT"],
    ["for any bytes where none are expected", good, 0, "E_CORRUPT"],
    ["for fewer bytes", good, 501, "E_CORRUPT"],
    ["for no bytes where one is expected", zlibCompress(new Uint8Array(0)), 1, "E_CORRUPT"],
    ["with a block of type 3", fromHex("789c07"), 500, "E_CORRUPT"],
    ["with a stored block of two lengths", fromHex("789c0105000000" + "6162636465"), 5, "E_CORRUPT"],
    ["with a distance beyond its start", fromHex("789c0b0241"), 500, "E_CORRUPT"],
  ] as const)("%s is rejected", (_, stream, size, code) => {
    expect(outcome(stream, size)).toBe("error");
    expect(() => zlibCodec.decompress(stream, new Uint8Array(size))).toThrow(
      expect.objectContaining({ code, field: "zlib stream" }),
    );
  });

  it("is rejected at every truncation and for every other size", () => {
    for (let length = 0; length < good.length; length++) {
      expect(outcome(good.slice(0, length), 500)).toBe("error");
    }
    for (let size = 0; size < 600; size++) {
      expect(outcome(good, size) === "error").toBe(size !== 500);
    }
  });

  it("is rejected when any of its bytes changes", () => {
    for (let at = 0; at < good.length; at++) {
      for (const difference of [1, 0x10, 0x80, 0xff]) {
        const stream = changed(at, (good[at] ?? 0) ^ difference);
        const result = outcome(stream, 500);
        // Padding bits in the last byte of the deflate stream have no meaning.
        expect(result === "error" || result === toHex(input)).toBe(true);
        expect(result === "error" || at === good.length - 5).toBe(true);
      }
    }
  });

  it("yields an error or a value for arbitrary bytes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.nat({ max: 300 }), (bytes, size) => {
        outcome(concatBytes([fromHex("789c"), bytes]), size);
      }),
      { numRuns: 2000, seed: 9 },
    );
  });

  it("that expands a thousandfold is abandoned where the output ends", () => {
    const bomb = zlibCompress(new Uint8Array(20_000_000));
    expect(bomb.length).toBeLessThan(25_000);
    const started = performance.now();
    expect(() => zlibDecompress(bomb, new Uint8Array(1000))).toThrow(
      expect.objectContaining({ code: "E_CORRUPT" }),
    );
    expect(performance.now() - started).toBeLessThan(1000);
  });
});
