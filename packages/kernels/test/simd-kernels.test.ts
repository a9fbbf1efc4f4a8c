/** Compares the kernels with straightforward references, also on bad bytes. */
import { crc32c } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chooseDecoders } from "../src/decode.js";
import { chooseKernels } from "../src/encode.js";
import { portableDecoders, portableKernels } from "../src/index.js";
import { crcBitwise, groupVarints, lz4Expand, prefixBlock, shuffleBits, snappyExpand } from "./references.js";
import { KernelsAlone } from "./simd-alone.js";

const kernels = new KernelsAlone();
const SIZES = [1, 2, 4, 8, 16] as const;

/** Bytes of different compressibility. */
const bytes = (maxLength: number): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(fc.uint8Array({ maxLength }), fc.constantFrom(255, 15, 3, 1), fc.constantFrom(1, 1, 7, 50))
    .map(([raw, mask, run]) => raw.map((_, i) => (raw[i - (i % run)] as number) & mask));

describe("CRC-32C", () => {
  test("matches bitwise division at every alignment", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 300, maxLength: 700 }), fc.nat(20), (input, start) => {
        expect(kernels.crc32c(input, start, input.length)).toBe(crcBitwise(input.subarray(start)));
      }),
      { seed: 1 },
    );
  });

  test.each([256, 547, 548, 1079, 1080, 2144, 4271, 4272, 4273, 8192, 30_000])(
    "matches for %i bytes: parts folded with each unit, and the rest",
    (length) => {
      const input = Uint8Array.from({ length: length + 3 }, (_, i) => Math.imul(i, 2654435761) >>> 23);
      for (const start of [0, 3]) {
        const part = input.subarray(start, start + length);
        expect(kernels.crc32c(input, start, start + length)).toBe(crcBitwise(part));
      }
    },
  );

  test("accepts shared memory", () => {
    const shared = new Uint8Array(new SharedArrayBuffer(10_000)).fill(3);
    expect(kernels.crc32c(shared, 1, 9_999)).toBe(crcBitwise(shared.subarray(1, 9_999)));
  });

  test("leaves the input as it is", () => {
    const input = new Uint8Array(10_000).fill(7);
    kernels.crc32c(input, 0, input.length);
    expect(input).toEqual(new Uint8Array(10_000).fill(7));
  });

  test.each([10, 262_144, 262_145, 65 << 20])("matches for %i bytes: portable, or in parts", (length) => {
    const input = new Uint8Array(length).fill(length, length >> 1);
    expect(kernels.crc32c(input, 0, length)).toBe(crc32c(input));
  });
});

describe("LZ4", () => {
  test("compressed input is decompressed by the kernel and by a reference decoder", () => {
    fc.assert(
      fc.property(bytes(20_000), (input) => {
        const block = kernels.lz4Compress(input) as Uint8Array;
        expect(lz4Expand(block, input.length)).toEqual(input);
        const output = new Uint8Array(input.length + 40).fill(7);
        expect(kernels.lz4Decompress(block, 0, block.length, output, 20, 20 + input.length)).toBe(true);
        expect(output.subarray(20, 20 + input.length)).toEqual(input);
        expect([...output.subarray(0, 20), ...output.subarray(20 + input.length)]).toEqual(Array(40).fill(7));
      }),
      { seed: 2, numRuns: 300 },
    );
  });

  test("compresses the specification's examples to their bytes", () => {
    const hex = (block: Uint8Array | undefined): string => Buffer.from(block ?? []).toString("hex");
    expect(hex(kernels.lz4Compress(Buffer.from("abc".repeat(8))))).toBe("3c6162630300506263616263");
    expect(hex(kernels.lz4Compress(new Uint8Array(32)))).toBe("1f00010007500000000000");
  });

  test("compresses large inputs, which use a different table", () => {
    for (const length of [65_546, 65_547, 200_000]) {
      const input = Uint8Array.from({ length }, (_, i) => (i * i) >> 9);
      const block = kernels.lz4Compress(input) as Uint8Array;
      expect(lz4Expand(block, length)).toEqual(input);
    }
  });

  test("a damaged block is declined or decompressed, without a trap or a write outside the output", () => {
    fc.assert(
      fc.property(
        bytes(3000),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
        fc.nat(40),
        (input, flips, cut) => {
          const block = kernels.lz4Compress(input) as Uint8Array;
          for (const [at, value] of flips) {
            block[at % Math.max(1, block.length)] = value;
          }
          const output = new Uint8Array(input.length + 16).fill(9);
          const end = Math.max(0, block.length - cut);
          const done = kernels.lz4Decompress(block, 0, end, output, 8, 8 + input.length);
          if (!done) {
            expect(output).toEqual(new Uint8Array(output.length).fill(9));
          }
          expect([...output.subarray(0, 8), ...output.subarray(8 + input.length)]).toEqual(Array(16).fill(9));
        },
      ),
      { seed: 3, numRuns: 3000 },
    );
  });

  test.each<[string, number[], number]>([
    ["empty input", [], 0],
    ["distance 0", [0x10, 1, 0, 0, 0], 10],
    ["a match before the output", [0x10, 1, 2, 0, 0], 10],
    ["a literal length without an end", [0xf0, 255, 255], 600],
    ["a match length without an end", [0x1f, 1, 1, 0, 255, 255], 600],
    ["a length bomb", [0x1f, 1, 1, 0, ...Array<number>(1000).fill(255), 0], 100],
    ["fewer bytes than expected", [0x10, 1], 2],
    ["more bytes than expected", [0x20, 1, 2], 1],
    ["a truncated distance", [0x10, 1, 1], 10],
  ])("%s is declined", (_, block, size) => {
    const input = Uint8Array.from(block);
    expect(kernels.lz4Decompress(input, 0, input.length, new Uint8Array(size), 0, size)).toBe(false);
  });
});

describe("Snappy", () => {
  test("compressed input is decompressed by the kernel and by a reference decoder", () => {
    fc.assert(
      fc.property(bytes(20_000), (input) => {
        for (const stream of [kernels.snappyCompress(input), kernels.snappyCompressFast(input)]) {
          expect(snappyExpand(stream as Uint8Array)).toEqual(input);
          const output = new Uint8Array(input.length);
          expect(kernels.snappyDecompress(stream as Uint8Array, output)).toBe(true);
          expect(output).toEqual(input);
        }
      }),
      { seed: 9, numRuns: 300 },
    );
  });

  test("compresses inputs of several fragments", () => {
    const input = Uint8Array.from({ length: 200_000 }, (_, i) => (i * i) >> 9);
    const stream = kernels.snappyCompress(input) as Uint8Array;
    expect(snappyExpand(stream)).toEqual(input);
    const output = new Uint8Array(input.length);
    expect(kernels.snappyDecompress(stream, output)).toBe(true);
    expect(output).toEqual(input);
  });

  test("a damaged stream is declined, or decompressed to the output of the reference decoder", () => {
    fc.assert(
      fc.property(
        bytes(2000),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 5 }),
        fc.nat(40),
        (input, flips, cut) => {
          const stream = kernels.snappyCompress(input) as Uint8Array;
          for (const [at, value] of flips) {
            stream[at % stream.length] = value;
          }
          const damaged = stream.subarray(0, Math.max(0, stream.length - cut));
          const output = new Uint8Array(input.length).fill(9);
          if (kernels.snappyDecompress(damaged, output)) {
            expect(snappyExpand(damaged)).toEqual(output);
          } else {
            expect(output).toEqual(new Uint8Array(input.length).fill(9));
          }
        },
      ),
      { seed: 10, numRuns: 2000 },
    );
  });

  test.each<[string, number[], number]>([
    ["empty input", [], 0],
    ["a length without an end", [0x80, 0x80, 0x80, 0x80, 0x80, 0], 0],
    ["a wrong length", [5, 0, 1], 1],
    ["truncated literals", [4, 3 << 2, 1, 2], 4],
    ["a truncated literal length", [9, 61 << 2, 1], 9],
    ["the longest literal length", [9, 63 << 2, 255, 255, 255, 255], 9],
    ["a match before the output", [8, 0, 1, 1, 2], 8],
    ["distance 0", [8, 0, 1, 1, 0], 8],
    ["more bytes than the output", [2, 0, 1, 1, 1], 2],
  ])("%s is declined", (_, stream, size) => {
    expect(kernels.snappyDecompress(Uint8Array.from(stream), new Uint8Array(size))).toBe(false);
  });
});

describe.each(SIZES)("bitshuffle of %i-byte elements", (size) => {
  test("chunks consist of the transposed bits, LZ4-compressed, and are decoded to the elements", () => {
    fc.assert(
      fc.property(bytes(30_000), (raw) => {
        const count = Math.floor(raw.length / size / 8) * 8;
        const input = raw.subarray(0, count * size);
        const stream = kernels.bitshuffleEncode(raw, count, size) as Uint8Array;
        const view = new DataView(stream.buffer, stream.byteOffset);
        let at = 0;
        for (let start = 0; start < input.length; start += 8192) {
          const chunk = input.subarray(start, start + 8192);
          const length = view.getUint32(at);
          const expanded = lz4Expand(stream.subarray(at + 4, at + 4 + length), chunk.length);
          expect(expanded).toEqual(shuffleBits(chunk, size));
          at += 4 + length;
        }
        expect(at).toBe(stream.length);
        const output = new Uint8Array(input.length + 8).fill(5);
        expect(kernels.bitshuffleDecode(stream, 0, stream.length, count, size, output, 4)).toBe(true);
        expect(output.subarray(4, 4 + input.length)).toEqual(input);
        expect([...output.subarray(0, 4), ...output.subarray(4 + input.length)]).toEqual(Array(8).fill(5));
      }),
      { seed: 4, numRuns: 60 },
    );
  });

  test("a damaged stream is declined or decoded, without a trap", () => {
    const input = Uint8Array.from({ length: 20_000 * size }, (_, i) => i >> 5).subarray(0, 2000 * size);
    const intact = kernels.bitshuffleEncode(input, 2000, size) as Uint8Array;
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }), fc.nat(60), (flips, cut) => {
        const stream = intact.slice();
        for (const [at, value] of flips) {
          stream[at % stream.length] = value;
        }
        const output = new Uint8Array(input.length);
        kernels.bitshuffleDecode(stream, 0, Math.max(0, stream.length - cut), 2000, size, output, 0);
      }),
      { seed: 5, numRuns: 500 },
    );
    expect(
      kernels.bitshuffleDecode(intact, 0, intact.length, 1992, size, new Uint8Array(input.length), 0),
    ).toBe(false);
    expect(
      kernels.bitshuffleDecode(intact, 0, intact.length, 2008, size, new Uint8Array(input.length + 64), 0),
    ).toBe(false);
  });
});

describe("offsets of plain binary blocks", () => {
  const ascending = fc
    .array(fc.oneof(fc.nat(3), fc.nat(300), fc.nat(70_000), fc.nat(20_000_000)), { maxLength: 200 })
    .map((steps) => {
      let offset = 12;
      return steps.map((step) => {
        offset += step;
        return offset;
      });
    });

  test("are read, followed by the end of the last value", () => {
    fc.assert(
      fc.property(ascending, fc.nat(9), fc.nat(100), (offsets, before, lastLength) => {
        const stream = groupVarints(offsets);
        const bytes = new Uint8Array(before + stream.length).fill(0xff);
        bytes.set(stream, before);
        const last = (offsets.at(-1) ?? 12) + lastLength;
        const read = kernels.readOffsets(bytes, before, offsets.length, 12, last);
        expect([...(read ?? [])]).toEqual([...offsets, last]);
        if (offsets.length > 0) {
          expect(
            kernels.readOffsets(bytes.subarray(0, -1), before, offsets.length, 12, last),
          ).toBeUndefined();
          expect(
            kernels.readOffsets(bytes, before, offsets.length, (offsets[0] as number) + 1, last),
          ).toBeUndefined();
          expect(
            kernels.readOffsets(bytes, before, offsets.length, 12, last - lastLength - 1),
          ).toBeUndefined();
        }
      }),
      { seed: 6, numRuns: 300 },
    );
  });

  test("are declined if they descend", () => {
    const stream = groupVarints([12, 20, 19, 30]);
    expect(kernels.readOffsets(stream, 0, 4, 12, 40)).toBeUndefined();
  });
});

describe("prefix blocks", () => {
  const strings = fc
    .array(fc.tuple(fc.nat(60), fc.string({ maxLength: 30 })), { maxLength: 120 })
    .map((parts) => {
      let previous = "";
      return parts.map(([keep, rest]) => {
        previous = previous.slice(0, keep) + rest;
        return new TextEncoder().encode(previous);
      });
    });

  test("are decoded to their values", () => {
    fc.assert(
      fc.property(strings, fc.integer({ min: 1, max: 20 }), (values, interval) => {
        const { block, entriesStart, entriesEnd } = prefixBlock(values, interval);
        const decoded = kernels.prefixDecode(
          block,
          entriesStart,
          entriesEnd,
          values.length,
          interval,
          1 << 20,
        );
        const { offsets, data } = decoded ?? { offsets: new Int32Array(0), data: new Uint8Array(0) };
        expect(values.map((_, i) => data.slice(offsets[i], offsets[i + 1]))).toEqual(values);
        const bytes = values.reduce((sum, value) => sum + value.length, 0);
        if (bytes > 0) {
          expect(
            kernels.prefixDecode(block, entriesStart, entriesEnd, values.length, interval, bytes - 1),
          ).toBeUndefined();
        }
      }),
      { seed: 7, numRuns: 300 },
    );
  });

  test("are declined or decoded when damaged, without a trap", () => {
    const values = Array.from({ length: 200 }, (_, i) =>
      new TextEncoder().encode(`key-${String(i * 7).padStart(8, "0")}`),
    );
    const { block, entriesStart, entriesEnd } = prefixBlock(values, 16);
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 }),
        fc.nat(400),
        (flips, count) => {
          const damaged = block.slice();
          for (const [at, value] of flips) {
            damaged[at % damaged.length] = value;
          }
          const decoded = kernels.prefixDecode(damaged, entriesStart, entriesEnd, count, 16, 1 << 20);
          if (decoded !== undefined) {
            expect(decoded.offsets.length).toBe(count + 1);
            expect(decoded.offsets[count]).toBe(decoded.data.length);
          }
        },
      ),
      { seed: 8, numRuns: 2000 },
    );
  });
});

test("invalid sizes, counts and ranges are declined", () => {
  const output = new Uint8Array(100);
  expect(kernels.bitTranspose(output, output.slice(), 4, 7)).toBe(false);
  expect(kernels.bitTranspose(output, output.slice(), 3, 8)).toBe(false);
  expect(kernels.bitUntranspose(output, output.slice(), 4, 800)).toBe(false);
  expect(kernels.bitUntranspose(output, new Uint8Array(31), 4, 8)).toBe(false);
  expect(kernels.bitshuffleEncode(output, 7, 4)).toBeUndefined();
  expect(kernels.bitshuffleEncode(output, 8, 3)).toBeUndefined();
  expect(kernels.bitshuffleEncode(output, 800, 4)).toBeUndefined();
  expect(kernels.bitshuffleDecode(output, 0, 101, 8, 4, output, 0)).toBe(false);
  expect(kernels.bitshuffleDecode(output, 0, 10, 2 ** 40, 8, output, 0)).toBe(false);
  expect(kernels.lz4Decompress(output, 5, 4, output, 0, 1)).toBe(false);
  expect(kernels.lz4Decompress(output, 0, 4, output, 90, 101)).toBe(false);
});

describe("the choice of kernels", () => {
  test("returns one shared set of SIMD kernels, the default", () => {
    expect(chooseKernels("simd")).not.toBe(portableKernels);
    expect(chooseKernels("auto").lz4Compress).toBe(chooseKernels("simd").lz4Compress);
    expect(chooseKernels()).toBe(chooseKernels("auto"));
    expect(chooseKernels("portable")).toBe(portableKernels);
  });

  test("returns only decoders for reading", () => {
    expect(chooseDecoders("simd")).not.toHaveProperty("lz4Compress");
    expect(chooseDecoders("auto").lz4Decompress).toBe(chooseDecoders("simd").lz4Decompress);
    expect(chooseDecoders()).toBe(chooseDecoders("auto"));
    expect(chooseDecoders("portable")).toBe(portableDecoders);
  });

  test.each([
    ["chooseKernels", chooseKernels],
    ["chooseDecoders", chooseDecoders],
  ])("%s rejects an unknown choice", (_, choose) => {
    expect(() => choose("fast" as "simd")).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });
});
