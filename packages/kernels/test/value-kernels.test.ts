/** Compares the kernels that decode values with straightforward references, also on bad bytes. */
import { MemoryArena } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { packed, type RleRun, rleStream } from "./references.js";
import { KernelsAlone } from "./simd-alone.js";

const kernels = new KernelsAlone();

/** Allocates buffers that are not zeroed, like reused ones. */
const used = {
  take: (byteLength: number): ArrayBuffer => new Uint8Array(byteLength + 8).fill(0xa5).buffer,
};

describe("rleDecode", () => {
  const runsOf = (width: number): fc.Arbitrary<RleRun[]> => {
    const value = fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n });
    const repeated = fc.record({ value, times: fc.integer({ min: 1, max: 300 }) });
    const literal = fc
      .integer({ min: 1, max: 12 })
      .chain((groups) =>
        fc.record({ values: fc.array(value, { minLength: 8 * groups, maxLength: 8 * groups }) }),
      );
    return fc.array(fc.oneof(repeated, literal), { minLength: 1, maxLength: 12 });
  };
  const valuesOf = (runs: readonly RleRun[]): bigint[] =>
    runs.flatMap((run) => ("times" in run ? Array<bigint>(run.times).fill(run.value) : run.values));

  test.each([1, 8, 16, 32, 64])("decodes values of %i bits from any position in the first run", (width) => {
    fc.assert(
      fc.property(runsOf(width), fc.nat(), fc.nat(), (runs, skip, length) => {
        const stream = Uint8Array.from([9, 9, ...rleStream(runs, width), 9]);
        const values = valuesOf(runs);
        const first = valuesOf(runs.slice(0, 1)).length;
        const skipped = skip % first;
        const count = length % (values.length - skipped + 1);
        const decoded = kernels.rleDecode(stream, 2, stream.length - 1, width, skipped, count, used);
        const expected = packed(values.slice(skipped, skipped + count), width);
        expect(new Uint8Array(decoded as ArrayBuffer, 0, expected.length)).toEqual(expected);
      }),
      { seed: 1, numRuns: 300 },
    );
  });

  test("accepts a last group that lacks up to seven values", () => {
    const runs = [{ values: Array.from({ length: 16 }, (_, i) => BigInt(i)) }];
    expect(kernels.rleDecode(rleStream(runs, 8, 7), 0, 10, 8, 0, 9)).toBeDefined();
    expect(kernels.rleDecode(rleStream(runs, 8, 7), 0, 10, 8, 0, 10)).toBeUndefined();
    expect(kernels.rleDecode(rleStream(runs, 8, 8), 0, 9, 8, 0, 1)).toBeUndefined();
  });

  test("declines bad runs and streams with too few values", () => {
    const bad = [[], [0], [1], [0x80], [2], [0xff, 0xff, 0xff, 0xff, 0x1f, 0], [2, 2], [2, 1, 0]];
    for (const bytes of bad) {
      const stream = Uint8Array.from(bytes);
      expect(kernels.rleDecode(stream, 0, stream.length, 1, 0, 2)).toBeUndefined();
    }
    expect(kernels.rleDecode(Uint8Array.of(2, 1), 0, 2, 1, 2, 1)).toBeUndefined();
    expect(kernels.rleDecode(Uint8Array.of(2, 1), 0, 2, 3, 0, 1)).toBeUndefined();
    // Claims 2^30 values of 8 bytes.
    const bomb = Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x07, 0, 0, 0, 0, 0, 0, 0, 0);
    expect(kernels.rleDecode(bomb, 0, bomb.length, 64, 0, 2 ** 30 - 1)).toBeUndefined();
  });

  test("decodes the requested number of values from any bytes, or declines", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.constantFrom(1, 8, 16, 32, 64), (bytes, width) => {
        for (const count of [1, 8, 100]) {
          const decoded = kernels.rleDecode(bytes, 0, bytes.length, width, 0, count);
          expect(decoded === undefined || decoded.byteLength === Math.ceil((count * width) / 8)).toBe(true);
        }
      }),
      { seed: 2, numRuns: 2000 },
    );
  });
});

describe("scatter", () => {
  test.each([1, 2, 4, 8, 16])(
    "writes values of %i bytes to the marked rows and zeros to the others",
    (width) => {
      fc.assert(
        fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 200 }), (present) => {
          const validity = packed(
            present.map((one) => (one ? 1n : 0n)),
            1,
          );
          const count = present.filter(Boolean).length;
          const values = Uint8Array.from({ length: count * width }, (_, i) => i + 1);
          const expected = new Uint8Array(present.length * width);
          let next = 0;
          for (const [row, isPresent] of present.entries()) {
            if (isPresent) {
              expected.set(values.subarray(next * width, (next + 1) * width), row * width);
              next++;
            }
          }
          const spread = kernels.scatter(values, validity, present.length, width, used);
          expect(new Uint8Array(spread as ArrayBuffer, 0, expected.length)).toEqual(expected);
        }),
        { seed: 3, numRuns: 300 },
      );
    },
  );

  test("declines if the number of values is not that of marked rows", () => {
    expect(kernels.scatter(new Uint8Array(12), Uint8Array.of(0b11), 8, 4)).toBeUndefined();
    expect(kernels.scatter(new Uint8Array(4), Uint8Array.of(0b11), 8, 4)).toBeUndefined();
    expect(kernels.scatter(new Uint8Array(8), new Uint8Array(0), 8, 4)).toBeUndefined();
    expect(kernels.scatter(new Uint8Array(3), Uint8Array.of(1), 1, 3)).toBeUndefined();
  });
});

describe("dictionaryGather", () => {
  test("returns the words of codes", () => {
    const word = fc.uint8Array({ maxLength: 40 });
    const input = fc
      .array(word, { minLength: 1, maxLength: 20 })
      .chain((words) => fc.tuple(fc.constant(words), fc.array(fc.nat(words.length - 1), { maxLength: 100 })));
    fc.assert(
      fc.property(input, ([words, codes]) => {
        const starts = Int32Array.of(0, ...words.map(() => 0));
        for (const [i, one] of words.entries()) {
          starts[i + 1] = (starts[i] as number) + one.length;
        }
        const data = Uint8Array.from(words.flatMap((one) => [...one]));
        const strings = kernels.dictionaryGather(Int32Array.from(codes), starts, data, 1 << 20, used);
        const expected = codes.map((code) => words[code] as Uint8Array);
        expect([...(strings?.data ?? [])]).toEqual(expected.flatMap((one) => [...one]));
        let end = 0;
        expect([...(strings?.offsets ?? [])]).toEqual([0, ...expected.map((one) => (end += one.length))]);
      }),
      { seed: 4, numRuns: 300 },
    );
  });

  test("declines invalid codes, words out of order and too many bytes", () => {
    const gather = (codes: number[], starts: number[], maxBytes = 100): unknown =>
      kernels.dictionaryGather(Int32Array.from(codes), Int32Array.from(starts), new Uint8Array(4), maxBytes);
    expect(gather([0, 1], [0, 2, 4])).toBeDefined();
    expect(gather([0, 2], [0, 2, 4])).toBeUndefined();
    expect(gather([-1], [0, 2, 4])).toBeUndefined();
    expect(gather([0], [0, 2, 5])).toBeUndefined();
    expect(gather([0], [0, 3, 2])).toBeUndefined();
    expect(gather([0], [-1, 2, 4])).toBeUndefined();
    expect(gather([0, 1], [0, 2, 4], 3)).toBeUndefined();
    expect(gather([0], [])).toBeUndefined();
  });
});

describe("codes of a bitshuffle block", () => {
  test.each([1, 2, 4])("of %i bytes are widened to 32-bit words, and the largest is returned", (size) => {
    const memory = new MemoryArena();
    for (const count of [8, 1000, 40_000]) {
      const max = Math.min(2 ** (8 * size) - 1, 3_000_000_000);
      const values = Array.from({ length: count }, (_, i) => (i * 7919) % (max + 1));
      const bytes = packed(values.map(BigInt), 8 * size);
      const stream = kernels.bitshuffleEncode(bytes, count, size) as Uint8Array;
      memory.recycle();
      const decoded = kernels.bitshuffleCodes(stream, 0, stream.length, count, size, memory);
      expect(decoded?.largest).toBe(values.reduce((a, b) => Math.max(a, b)));
      expect(Array.from(decoded?.codes ?? [], (code) => code >>> 0)).toEqual(values);
    }
  });

  test("of other sizes and in bad streams are declined", () => {
    const stream = kernels.bitshuffleEncode(new Uint8Array(64), 8, 8) as Uint8Array;
    expect(kernels.bitshuffleCodes(stream, 0, stream.length, 8, 8)).toBeUndefined();
    expect(kernels.bitshuffleCodes(stream, 0, stream.length - 1, 64, 1)).toBeUndefined();
    expect(kernels.bitshuffleCodes(stream, 0, stream.length, 63, 1)).toBeUndefined();
  });
});
