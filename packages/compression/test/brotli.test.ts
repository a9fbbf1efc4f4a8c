import { readFileSync } from "node:fs";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { checked, pathToGolden, randomNumbers } from "@cfile-tools/testkit";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadDictionary } from "../src/brotli/brotli-dictionary.js";
import { loadBrotli } from "../src/index.js";
import { beginMetaBlock, beginStream, endStream, oneSymbol, writeCopy } from "./brotli-streams.js";

const decompress = await loadBrotli();
const dictionary = await loadDictionary();

/** Logarithm of the number of words of each length. */
const WORD_BITS = [
  0, 0, 0, 0, 10, 10, 11, 11, 10, 10, 10, 10, 10, 9, 9, 8, 7, 7, 8, 7, 7, 6, 6, 5, 5,
] as const;
const LENGTHS = Array.from({ length: 21 }, (_, i) => i + 4);
const TRANSFORMS = 121;

const text = readFileSync(new URL("../README.md", import.meta.url));
const contents = {
  nothing: Buffer.alloc(0),
  zeros: Buffer.alloc(100_000),
  text,
  "text of several alphabets": Buffer.from(
    "Zwölf Boxkämpfer, съешь ещё этих мягких булок, 日本語の文字。".repeat(99),
  ),
  numbers: Buffer.from(Array.from({ length: 50_000 }, (_, i) => ((i * i) >>> 5) & 255)),
  "a column": readFileSync(pathToGolden("idx_int32_plain_opt.cfile")),
  "random bytes": Buffer.from(Array.from({ length: 5000 }, randomNumbers(3))),
};

function compressed(content: Uint8Array, quality: number, window = 22, mode = 0): Uint8Array {
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_LGWIN]: window,
    [constants.BROTLI_PARAM_MODE]: mode,
  };
  return Uint8Array.from(brotliCompressSync(content, { params }));
}

function expanded(input: Uint8Array, size: number): Uint8Array {
  const output = new Uint8Array(size);
  return output.subarray(0, decompress(input, output));
}

interface NodeOutput {
  readonly buffer: Uint8Array;
  /** Reports how much of the input was used. */
  readonly engine: { readonly bytesWritten: number };
}

/** The output of Node's decoder; `undefined` if it refuses the stream, or if bytes follow it. */
function expandedByNode(input: Uint8Array, size: number): Uint8Array | undefined {
  try {
    const options = { maxOutputLength: size, info: true } as const;
    const { buffer, engine } = brotliDecompressSync(input, options) as unknown as NodeOutput;
    return engine.bytesWritten === input.length ? Uint8Array.from(buffer) : undefined;
  } catch {
    return undefined;
  }
}

describe("a Brotli stream", () => {
  describe.each(Object.entries(contents))("of %s", (_, content) => {
    it.each([0, 1, 2, 4, 5, 6, 9, 10, 11])("expands to what was compressed at quality %i", (quality) => {
      for (const window of [10, 16, 17, 22, 24]) {
        for (const mode of [0, 1, 2]) {
          checked(1);
          const stream = compressed(content, quality, window, mode);
          expect(Buffer.compare(expanded(stream, content.length), content)).toBe(0);
        }
      }
    });

    it("is refused when it is cut anywhere", () => {
      const stream = compressed(content, 9);
      const step = Math.ceil(stream.length / 200);
      for (let length = 0; length < stream.length; length += step) {
        expect(() => expanded(stream.subarray(0, length), content.length)).toThrow(
          expect.objectContaining({ code: "E_TRUNCATED", field: "Brotli stream" }),
        );
      }
    });

    it("is refused when it expands to more bytes than there is room for, or when bytes follow it", () => {
      const stream = compressed(content, 9);
      for (const size of [content.length - 1, content.length >> 1].filter(
        (one) => one >= 0 && one < content.length,
      )) {
        expect(() => expanded(stream, size)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
      }
      const longer = Uint8Array.from([...stream, 0]);
      expect(() => expanded(longer, content.length)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    });
  });

  it("leaves the rest of a larger output as it is", () => {
    const output = new Uint8Array(text.length + 3).fill(7);
    expect(decompress(compressed(text, 9), output)).toBe(text.length);
    expect([...output.subarray(text.length)]).toEqual([7, 7, 7]);
  });

  it("has the words of Node's dictionary", () => {
    const stream = beginStream();
    let position = 0;
    for (const length of LENGTHS) {
      for (let word = 0; word < 1 << (WORD_BITS[length] ?? 0); word++, position += length) {
        writeCopy(stream, length, position + 1 + word, length);
      }
    }
    const bytes = endStream(stream);
    expect(Buffer.compare(expanded(bytes, position), brotliDecompressSync(bytes))).toBe(0);
  });

  it.each(LENGTHS)("changes words of %i bytes as Node does, in each way", (length) => {
    const bits = WORD_BITS[length] ?? 0;
    const stream = beginStream();
    let position = 0;
    for (let transform = 0; transform < TRANSFORMS; transform++) {
      for (const word of [0, 1, 2, 3, (1 << bits) - 1, (1 << bits) - 2, 1 << (bits - 1)]) {
        checked(1);
        const reference = (transform << bits) + word;
        const size = dictionary.append(length, reference, new Uint8Array(60), 0) ?? 0;
        // A meta-block has at least one byte.
        if (size > 0) {
          writeCopy(stream, length, position + 1 + reference, size);
          position += size;
        }
      }
    }
    const bytes = endStream(stream);
    expect(Buffer.compare(expanded(bytes, position), brotliDecompressSync(bytes))).toBe(0);
    expect(dictionary.append(length, TRANSFORMS << bits, new Uint8Array(60), 0)).toBeUndefined();
  });

  it.each([0, 1, 2, 3])("chooses codes by the context of literals as Node does, in mode %i", (mode) => {
    const next = randomNumbers(mode + 1);
    for (let run = 0; run < 50; run++) {
      const length = 3000;
      const stream = beginMetaBlock(beginStream(), length).write(mode, 2);
      // 64 trees, one per context. The numbers 0, 1, 2 … each refer to the end of the list, whose entry moves to the front.
      stream.write(1, 1).write(5, 3).write(31, 5).write(0, 1);
      writeNumbers(stream, 64);
      stream.write(0, 1);
      for (let tree = 0; tree < 64; tree++) {
        oneSymbol(stream, next(256), 8);
      }
      // A command of 2114 or more literals, whose copy is never executed.
      oneSymbol(stream, 7 * 64 + (5 << 3), 10);
      oneSymbol(stream, 0, 6);
      stream.write(length - 2114, 12).align();
      const bytes = endStream(stream);
      expect(attempt(bytes, length)).toBe(expandedByNode(bytes, length)?.join());
    }
  });

  it("has bytes to skip, and bytes as they are, between other bytes", () => {
    const stream = beginStream();
    // Three bytes to skip, then five uncompressed bytes.
    stream.write(0, 1).write(3, 2).write(0, 1).write(1, 2).write(2, 8).align().write(0xabcdef, 24);
    stream.write(0, 1).write(0, 2).write(4, 16).write(1, 1).align();
    for (const byte of Buffer.from("Hello")) {
      stream.write(byte, 8);
    }
    const bytes = endStream(stream);
    expect(Buffer.from(expanded(bytes, 5)).toString()).toBe("Hello");
    expect(brotliDecompressSync(bytes).toString()).toBe("Hello");
  });

  it("is read or refused as by Node when its bits are flipped", () => {
    const streams = Object.values(contents).flatMap((content) =>
      [1, 5, 9, 11].map((quality) => ({ content, stream: compressed(content.subarray(0, 3000), quality) })),
    );
    let refused = 0;
    let read = 0;
    const numbers = fc.array(fc.nat(), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(fc.nat(streams.length - 1), numbers, (which, flips) => {
        const { stream } = streams[which] as (typeof streams)[number];
        const bytes = stream.slice();
        for (const flip of flips) {
          // Most fields are at the start.
          const range = flip % 2 === 0 ? 8 * Math.min(40, bytes.length) : 8 * bytes.length;
          const bit = (flip >>> 1) % range;
          bytes[bit >>> 3] = (bytes[bit >>> 3] as number) ^ (1 << (bit & 7));
        }
        const ours = attempt(bytes, 6000);
        expect(ours).toBe(expandedByNode(bytes, 6000)?.join());
        refused += ours === undefined ? 1 : 0;
        read += ours === undefined ? 0 : 1;
      }),
      { numRuns: 6000, seed: 5 },
    );
    expect(Math.min(refused, read)).toBeGreaterThan(100);
  });

  it("of 64 MiB of zeros is abandoned where the output ends", () => {
    const bomb = compressed(new Uint8Array(1 << 26), 1);
    const before = process.memoryUsage().arrayBuffers;
    expect(() => expanded(bomb, 1000)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 22);
  });
});

/** Numbers 0 to `count - 1` as symbols of a prefix code whose codes all have six bits. */
function writeNumbers(stream: ReturnType<typeof beginStream>, count: number): void {
  // A code-length code with one symbol, six; then 64 lengths without bits.
  stream.write(0, 2);
  for (const symbol of [1, 2, 3, 4, 0, 5, 17, 6, 16, 7, 8, 9, 10, 11, 12, 13, 14, 15]) {
    // Length 1 for symbol 6 would leave space; all others have length 0.
    stream.write(symbol === 6 ? 0b0111 : 0, symbol === 6 ? 4 : 2);
  }
  for (let i = 0; i < count; i++) {
    let code = 0;
    for (let bit = 0; bit < 6; bit++) {
      code = (code << 1) | ((i >>> bit) & 1);
    }
    stream.write(code, 6);
  }
}

/** The bytes of a stream; `undefined` for a typed refusal. */
function attempt(input: Uint8Array, size: number): string | undefined {
  try {
    return expanded(input, size).join();
  } catch (error) {
    expect(error).toMatchObject({ code: expect.stringMatching(/^E_(?:CORRUPT|TRUNCATED)$/) });
    return undefined;
  }
}
