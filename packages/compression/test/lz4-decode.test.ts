import { concatBytes, fromHex, isCFileError, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lz4Codec } from "../src/codecs.js";
import { checkLz4Block, lz4DecompressBlock } from "../src/lz4.js";
import { lz4Compress } from "../src/lz4-encode.js";
import { lz4jsCodec } from "../src/lz4js.js";
import { literallyDecoded } from "./literal-lz4.js";
import { sample } from "./sample-bytes.js";

const GUARD = 9;

/**
 * The content, or "error". Input and output are parts of larger arrays, whose other bytes must not change. Errors must be
 * typed and have an offset in the input.
 */
function outcome(
  block: Uint8Array,
  size: number,
  decompress: (larger: Uint8Array, output: Uint8Array) => void,
): string {
  const input = concatBytes([new Uint8Array(GUARD).fill(0x1f), block, new Uint8Array(GUARD)]);
  const output = new Uint8Array(size + 2 * GUARD).fill(0x5a);
  let result: string;
  try {
    decompress(input, output);
    result = toHex(output.subarray(GUARD, GUARD + size));
  } catch (error) {
    expect(isCFileError(error)).toBe(true);
    if (isCFileError(error)) {
      expect(["E_TRUNCATED", "E_CORRUPT"]).toContain(error.code);
      expect(error.field).toMatch(/^LZ4 /);
      expect(error.offset).toBeGreaterThanOrEqual(0);
      expect(error.offset).toBeLessThanOrEqual(input.length);
    }
    result = "error";
  }
  expect(toHex(output.subarray(0, GUARD)) + toHex(output.subarray(GUARD + size))).toBe(
    "5a".repeat(2 * GUARD),
  );
  return result;
}

/** The outcome in which this package's decoder, lz4js and the plainest decoder agree. */
function agreedOutcome(block: Uint8Array, size: number): string {
  const ours = outcome(block, size, (input, output) =>
    lz4DecompressBlock(input, GUARD, GUARD + block.length, output.subarray(GUARD, GUARD + size)),
  );
  // The array has the exact size, so a read past its end is a RangeError.
  const alone = outcome(block, size, (_, output) =>
    lz4Codec.decompress(block.slice(), output.subarray(GUARD, GUARD + size)),
  );
  expect(alone).toBe(ours);
  const lz4js = outcome(block, size, (input, output) =>
    lz4jsCodec.decompress(input.subarray(GUARD, GUARD + block.length), output.subarray(GUARD, GUARD + size)),
  );
  const literal = literallyDecoded(block, size);
  expect(lz4js).toBe(ours);
  expect(literal === undefined ? "error" : toHex(literal)).toBe(ours);
  return ours;
}

describe("LZ4 decompression", () => {
  it("decompresses matches of every short distance and length, and long ones", () => {
    for (let distance = 1; distance <= 40; distance++) {
      for (const length of [4, 5, 7, 8, 15, 17, 18, 19, 33, 254, 255, 256, 257, 273, 274, 275, 1000, 5000]) {
        for (const literals of [distance, distance + 3, distance + 14]) {
          const start = sample("noise", literals);
          const tail = sample("counter", 5 + (length % 40));
          const block = concatBytes([sequence(start, distance, length), sequence(tail, 0, 0)]);
          const expected = [...start];
          for (let i = 0; i < length; i++) {
            expected.push(expected[expected.length - distance] ?? 0);
          }
          expect(agreedOutcome(block, literals + length + tail.length)).toBe(
            toHex(Uint8Array.from([...expected, ...tail])),
          );
        }
      }
    }
  });

  it("decompresses blocks that break the end rules: a match may reach the end of the output", () => {
    expect(agreedOutcome(fromHex("10aa010000"), 5)).toBe("aaaaaaaaaa");
    expect(agreedOutcome(fromHex("10aa010010bb"), 6)).toBe("aaaaaaaaaabb");
  });

  it("decompresses a match at the maximum distance", () => {
    const noise = sample("noise", 65535);
    const block = concatBytes([sequence(noise, 65535, 20), sequence(noise.subarray(0, 5), 0, 0)]);
    expect(agreedOutcome(block, 65560)).toBe(
      toHex(noise) + toHex(noise.subarray(0, 20)) + toHex(noise.subarray(0, 5)),
    );
  });

  it("fills an empty output from an empty block only", () => {
    expect(agreedOutcome(fromHex("00"), 0)).toBe("");
    expect(agreedOutcome(fromHex(""), 0)).toBe("error");
    expect(agreedOutcome(fromHex("0000"), 0)).toBe("error");
    expect(agreedOutcome(fromHex("10aa"), 0)).toBe("error");
  });
});

/** One sequence; without its match when `distance` is 0. */
function sequence(literals: Uint8Array, distance: number, matchLength: number): Uint8Array {
  const rest = (length: number): number[] =>
    length < 15 ? [] : [...new Array<number>(Math.floor((length - 15) / 255)).fill(255), (length - 15) % 255];
  const match = distance === 0 ? 0 : matchLength - 4;
  return concatBytes([
    Uint8Array.of((Math.min(15, literals.length) << 4) | Math.min(15, match), ...rest(literals.length)),
    literals,
    distance === 0 ? new Uint8Array(0) : Uint8Array.of(distance, distance >> 8, ...rest(match)),
  ]);
}

describe("an invalid LZ4 block", () => {
  it.each([
    ["without a token", "", 4, "E_TRUNCATED", "LZ4 token", 0],
    ["that ends after a match", "10aa0100", 5, "E_TRUNCATED", "LZ4 token", 4],
    ["with a cut literal length", "f0ff", 400, "E_TRUNCATED", "LZ4 literal length", 2],
    ["with fewer literals than it says", "4061", 4, "E_TRUNCATED", "LZ4 literals", 1],
    ["with half a distance", "1061ff", 9, "E_TRUNCATED", "LZ4 distance", 2],
    ["with a cut match length", "1f610100ff", 400, "E_TRUNCATED", "LZ4 match length", 5],
    ["with distance 0", "1061000000", 5, "E_CORRUPT", "LZ4 distance", 2],
    ["with a distance beyond the output", "1061020000", 5, "E_CORRUPT", "LZ4 distance", 2],
    ["whose first sequence has no literals", "00010000", 4, "E_CORRUPT", "LZ4 distance", 1],
    ["with more literals than fit", "3061626300", 2, "E_CORRUPT", "LZ4 literals", 1],
    ["with a longer match than fits", "1061010000", 4, "E_CORRUPT", "LZ4 match length", 4],
    ["for fewer bytes", "1061", 2, "E_CORRUPT", "LZ4 block", 0],
  ])("%s is rejected at its offset", (_, hex, size, code, field, offset) => {
    const block = fromHex(hex);
    expect(agreedOutcome(block, size)).toBe("error");
    expect(() => lz4Codec.decompress(block, new Uint8Array(size))).toThrow(
      expect.objectContaining({ code, field, offset }),
    );
    expect(() =>
      lz4DecompressBlock(concatBytes([fromHex("ffff"), block]), 2, 2 + block.length, new Uint8Array(size)),
    ).toThrow(expect.objectContaining({ code, field, offset: offset + 2 }));
  });

  it("is rejected at every truncation and for every other size", () => {
    for (const [block, size] of [
      [lz4Compress(sample("mixed", 900)), 900],
      [lz4Compress(sample("text", 400)), 400],
      [fromHex("4f1506180001000450" + "0000000000"), 32],
    ] as const) {
      expect(agreedOutcome(block, size)).not.toBe("error");
      for (let length = 0; length < block.length; length++) {
        expect(agreedOutcome(block.slice(0, length), size)).toBe("error");
      }
      for (let other = 0; other < size + 60; other++) {
        expect(agreedOutcome(block, other) === "error").toBe(other !== size);
      }
      expect(agreedOutcome(concatBytes([block, fromHex("00")]), size)).toBe("error");
    }
  });

  it("yields an error or a value when bytes change, the same in every decoder", () => {
    const good = [
      [lz4Compress(sample("mixed", 700)), 700],
      [lz4Compress(sample("narrow", 300)), 300],
      [lz4Compress(sample("zeros", 5000)), 5000],
    ] as const;
    const changes = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), {
      minLength: 1,
      maxLength: 3,
    });
    let values = 0;
    fc.assert(
      fc.property(fc.constantFrom(...good), changes, ([block, size], differences) => {
        const changed = block.slice();
        for (const [at, difference] of differences) {
          changed[at % changed.length] = (changed[at % changed.length] ?? 0) ^ difference;
        }
        values += agreedOutcome(changed, size) === "error" ? 0 : 1;
      }),
      { numRuns: 3000, seed: 2 },
    );
    expect(values).toBeGreaterThan(100);
  });

  it("yields an error or a value for arbitrary bytes, the same in every decoder", () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 2, 4, 0x0f, 0x10, 0x1f, 0xf0, 0xff), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 80 }), fc.nat({ max: 600 }), (bytes, size) => {
        agreedOutcome(Uint8Array.from(bytes), size);
      }),
      { numRuns: 4000, seed: 3 },
    );
  });

  it("that claims huge lengths is rejected without using memory or time", () => {
    const bomb = new Uint8Array(8 << 20).fill(255);
    for (const start of ["f0", "1f610100"]) {
      const block = concatBytes([fromHex(start), bomb, fromHex("00")]);
      for (const codec of [lz4Codec, lz4jsCodec]) {
        expect(() => codec.decompress(block, new Uint8Array(64))).toThrow(
          expect.objectContaining({ name: "CFileError" }),
        );
      }
    }
  });

  it("that exceeds its input or output is rejected, wherever in a sequence", { timeout: 120_000 }, () => {
    const before = sequence(sample("noise", 8), 5, 6);
    const after = new Uint8Array(40);
    for (let literals = 0; literals <= 16; literals++) {
      for (let length = 4; length <= 20; length++) {
        const sequences = concatBytes([before, sequence(sample("noise", literals), 5, length)]);
        const outcomes = new Set<unknown>();
        for (let cut = 0; cut < sequences.length; cut++) {
          outcomes.add(agreedOutcome(sequences.slice(0, cut), 100));
        }
        const block = concatBytes([sequences, after]);
        for (let size = 0; size <= 14 + literals + length + 3; size++) {
          outcomes.add(agreedOutcome(block, size));
        }
        expect([...outcomes]).toEqual(["error"]);
      }
    }
  });

  it.each([
    ["a negative start", -1, 4],
    ["an end before the start", 3, 2],
    ["an end outside the input", 0, 9],
    ["a start outside the input", 9, 9],
    ["a start that is not a number", Number.NaN, 4],
    ["an end that is not a number", 0, Number.NaN],
    ["an infinite end", 0, Number.POSITIVE_INFINITY],
  ])("is rejected for %s", (_, start, end) => {
    expect(() => lz4DecompressBlock(new Uint8Array(8), start, end, new Uint8Array(8))).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});

describe("the check of an LZ4 block", () => {
  it("agrees with decompression for arbitrary bytes", () => {
    const byte = fc.oneof(fc.constantFrom(0, 1, 4, 0x0f, 0x10, 0x1f, 0xf0, 0xff), fc.nat({ max: 255 }));
    fc.assert(
      fc.property(fc.array(byte, { maxLength: 60 }), fc.nat({ max: 300 }), (bytes, size) => {
        const block = Uint8Array.from(bytes);
        const checked = outcome(block, size, (input, output) => {
          checkLz4Block(input, GUARD, GUARD + block.length, size);
          output.set(literallyDecoded(block, size) ?? [], GUARD);
        });
        expect(checked).toBe(agreedOutcome(block, size));
      }),
      { numRuns: 2000, seed: 4 },
    );
  });

  it("reports LZ4's end rules: matches start at least 12 bytes before the end, the last 5 bytes are literals", () => {
    const holds = (matchStartsBeforeEnd: number, lastLiterals: number): boolean => {
      const start = sample("noise", 20);
      const block = concatBytes([
        sequence(start, 3, matchStartsBeforeEnd - lastLiterals),
        sequence(start.subarray(0, lastLiterals), 0, 0),
      ]);
      return checkLz4Block(block, 0, block.length, 20 + matchStartsBeforeEnd).endRulesHold;
    };
    expect(holds(12, 5)).toBe(true);
    expect(holds(12, 8)).toBe(true);
    expect(holds(13, 5)).toBe(true);
    expect(holds(100, 5)).toBe(true);
    expect(holds(11, 5)).toBe(false);
    expect(holds(10, 5)).toBe(false);
    expect(holds(12, 4)).toBe(false);
    expect(holds(100, 0)).toBe(false);
  });

  it("accepts any number of literals in a block without matches", () => {
    for (let length = 0; length < 20; length++) {
      const block = sequence(sample("noise", length), 0, 0);
      expect(checkLz4Block(block, 0, block.length, length)).toEqual({ endRulesHold: true });
    }
  });
});
