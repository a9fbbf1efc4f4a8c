import { fromHex, onesBitmap, setBit, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FixedValues } from "../src/index.js";
import { RleDecoder, RleEncoder, rleDecode, rleEncode } from "../src/rle.js";
import { loadGolden } from "./golden.js";
import { ReferenceRleEncoder } from "./rle-reference.js";

const SEED = { seed: 20260101 };

interface GoldenStream {
  readonly what: string;
  readonly hex: string;
  /** Omitted if one value is repeated many times. */
  readonly values?: readonly (number | string)[];
  readonly repeat?: { readonly value: number; readonly count: number };
}

const WIDTHS = [1, 8, 16, 32, 64];
const ALL_WIDTHS = Array.from({ length: 64 }, (_, i) => i + 1);

function unsigned(values: readonly (number | string | bigint)[], width: number): bigint[] {
  return values.map((value) => BigInt.asUintN(width, BigInt(value)));
}

/** Elements of exactly `width` bits, signed or unsigned. */
function typedArray(values: readonly bigint[], width: number, signed: boolean): FixedValues {
  const numbers = values.map((value) => Number(signed ? BigInt.asIntN(width, value) : value));
  switch (width) {
    case 8:
      return signed ? Int8Array.from(numbers) : Uint8Array.from(numbers);
    case 16:
      return signed ? Int16Array.from(numbers) : Uint16Array.from(numbers);
    case 32:
      return signed ? Int32Array.from(numbers) : Uint32Array.from(numbers);
    default:
      return signed ? BigInt64Array.from(values) : BigUint64Array.from(values);
  }
}

function bitmapOf(values: readonly bigint[], shift = 0): Uint8Array {
  const bitmap = new Uint8Array(Math.ceil((values.length + shift) / 8));
  values.forEach((value, i) => {
    if (value === 1n) {
      setBit(bitmap, shift + i);
    }
  });
  return bitmap;
}

function decoded(stream: Uint8Array, width: number, count: number): bigint[] {
  return [...rleDecode(stream, width, count)].map((value) => BigInt(value));
}

describe.each(WIDTHS)("golden streams of %d-bit values", (width) => {
  const streams = loadGolden<GoldenStream[]>(`rle_${width}`);

  it.each(streams)("$what", ({ hex, values: written, repeat }) => {
    const values = unsigned(written ?? new Array(repeat?.count).fill(repeat?.value), width);

    const encoder = new RleEncoder(width);
    for (const value of values) {
      encoder.put(value);
    }
    expect(toHex(encoder.finish())).toBe(hex);
    expect(toHex(rleEncode(values, width))).toBe(hex);
    if (width === 1) {
      for (const shift of [0, 3]) {
        encoder.putBits(bitmapOf(values, shift), shift, shift + values.length);
        expect(toHex(encoder.finish())).toBe(hex);
      }
    } else {
      for (const signed of [false, true]) {
        expect(toHex(rleEncode(typedArray(values, width, signed), width))).toBe(hex);
      }
    }

    const stream = fromHex(hex);
    expect(decoded(stream, width, values.length)).toEqual(values);
    const decoder = new RleDecoder(stream, 0, stream.length, width);
    decoder.skip(values.length);
    expect(decoder.atEnd).toBe(true);
    expect(decoder.position).toBe(values.length);
  });
});

describe("worked examples of the specification", () => {
  const run = (value: number, count: number): number[] => new Array<number>(count).fill(value);
  it.each<[number, string, number[], string]>([
    [1, "1,0,1", [1, 0, 1], "03 05"],
    [1, "1 x5", run(1, 5), "0a 01"],
    [1, "0 x3, 1 x13", [...run(0, 3), ...run(1, 13)], "03 f8 10 01"],
    [1, "1 x8, 0, 1, 1", [...run(1, 8), 0, 1, 1], "10 01 03 06"],
    [16, "-1,-1,5", [-1, -1, 5], "03 ff ff ff ff 05 00"],
    [32, "7 x100", run(7, 100), "c8 01 07 00 00 00"],
    [8, "-2 x10", run(-2, 10), "14 fe"],
    [
      1,
      "0,1 alternating, 513 values",
      Array.from({ length: 513 }, (_, i) => i % 2),
      `7f ${"aa ".repeat(63)} 05 aa 00`,
    ],
  ])("%d bits: %s", (width, _, values, hex) => {
    const stream = fromHex(hex);
    expect(toHex(rleEncode(values, width))).toBe(toHex(stream));
    expect(decoded(stream, width, values.length)).toEqual(unsigned(values, width));
  });
});

/** Streams with runs of all lengths around 8 and 63 groups, and with literals between them. */
function streams(width: number): fc.Arbitrary<bigint[]> {
  const value = fc.oneof(
    fc.constantFrom(0n, 1n, (1n << BigInt(width)) - 1n),
    fc.bigInt({ min: 0n, max: (1n << BigInt(width)) - 1n }),
  );
  const pieces = fc.array(
    fc.oneof(
      fc
        .tuple(value, fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(63, 64, 65, 127, 128)))
        .map(([v, count]) => new Array<bigint>(count).fill(v)),
      fc.array(value, { maxLength: 30 }),
      fc.tuple(value, value).map(([a, b]) => Array.from({ length: 512 }, (_, i) => (i % 2 ? a : b))),
    ),
    { maxLength: 8 },
  );
  return pieces.map((parts) => parts.flat().map((v) => BigInt.asUintN(width, v)));
}

describe("compared with the specification's state machine", () => {
  it.each(ALL_WIDTHS)("%d bits: produces the same bytes, and the same length after every put", (width) => {
    fc.assert(
      fc.property(streams(width), (values) => {
        const encoder = new RleEncoder(width);
        const reference = new ReferenceRleEncoder(width);
        for (const value of values) {
          encoder.put(value);
          reference.put(value);
          if (encoder.length !== reference.length) {
            expect(encoder.length).toBe(reference.length);
          }
        }
        const stream = encoder.finish();
        expect(toHex(stream)).toBe(toHex(Uint8Array.from(reference.finish())));
        expect(decoded(stream, width, values.length)).toEqual(values);
      }),
      { ...SEED, numRuns: 15 },
    );
  });

  it.each(WIDTHS)("%d bits: produces the same stream, however values are added", (width) => {
    const cuts = fc.array(fc.tuple(fc.nat(70), fc.constantFrom("put", "putRun", "all")), { maxLength: 40 });
    fc.assert(
      fc.property(streams(width), cuts, fc.boolean(), fc.nat(7), (values, pieces, signed, shift) => {
        const encoder = new RleEncoder(width);
        const reference = new ReferenceRleEncoder(width);
        const array = width === 1 ? undefined : typedArray(values, width, signed);
        const bitmap = bitmapOf(values, shift);
        let from = 0;
        for (const [length, way] of [...pieces, [values.length, "all"] as const]) {
          let to = Math.min(values.length, from + length);
          if (way === "all" && array !== undefined) {
            encoder.putAll(array, from, to);
          } else if (way === "all") {
            encoder.putBits(bitmap, shift + from, shift + to);
          } else if (way === "put" || from === values.length) {
            values.slice(from, to).forEach((value) => {
              encoder.put(value);
            });
          } else {
            const value = values[from] as bigint;
            const end = values.findIndex((other, i) => i > from && other !== value);
            to = end < 0 ? values.length : end;
            encoder.putRun(width < 64 ? Number(value) : value, to - from);
          }
          values.slice(from, to).forEach((value) => {
            reference.put(value);
          });
          expect(encoder.length).toBe(reference.length);
          from = to;
        }
        expect(toHex(encoder.finish())).toBe(toHex(Uint8Array.from(reference.finish())));
      }),
      { ...SEED, numRuns: 60 },
    );
  });
});

describe("RleEncoder", () => {
  it("encodes a run at the cost of one value and splits it where its header would exceed 31 bits", () => {
    const encoder = new RleEncoder(8);
    encoder.putRun(7, 2 ** 30 + 9);
    const stream = encoder.finish();
    expect(toHex(stream)).toBe("feffffff07071407");
    const decoder = new RleDecoder(stream, 0, stream.length, 8);
    decoder.skip(2 ** 30 + 9);
    expect(decoder.atEnd).toBe(true);
  });

  it("discards values on reset and starts over after finish", () => {
    const encoder = new RleEncoder(8);
    encoder.putAll(Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9));
    encoder.reset();
    expect(encoder.length).toBe(0);
    encoder.putRun(1, 9);
    encoder.reset();
    encoder.put(5);
    expect(toHex(encoder.finish())).toBe("0205");
    expect(toHex(encoder.finish())).toBe("");
  });

  it.each<[number, number | bigint]>([
    [1, 2],
    [1, -2],
    [8, 256],
    [8, -129],
    [16, 1.5],
    [16, Number.NaN],
    [32, 2 ** 32],
    [64, 2 ** 53],
    [64, 2n ** 64n],
    [64, -(2n ** 63n) - 1n],
  ])("with %d bits, rejects the value %s", (width, value) => {
    const encoder = new RleEncoder(width);
    expect(() => encoder.put(value)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "value" }),
    );
    expect(toHex(encoder.finish())).toBe("");
  });

  it.each([0, -1, 65, 1.5, Number.NaN])("rejects a width of %d bits", (width) => {
    const error = expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "width" });
    expect(() => new RleEncoder(width)).toThrow(error);
    expect(() => new RleDecoder(new Uint8Array(0), 0, 0, width)).toThrow(error);
    expect(() => rleDecode(new Uint8Array(0), width, 0)).toThrow(error);
  });

  it.each<[string, (encoder: RleEncoder) => void]>([
    ["a run of -1 values", (encoder) => encoder.putRun(1, -1)],
    ["a run of half a value", (encoder) => encoder.putRun(1, 0.5)],
    ["elements of another width", (encoder) => encoder.putAll(Uint16Array.of(1))],
    ["bits", (encoder) => encoder.putBits(Uint8Array.of(1), 0, 8)],
    ["a range outside the elements", (encoder) => encoder.putAll(Uint8Array.of(1), 0, 2)],
    ["a range before the elements", (encoder) => encoder.putAll(Uint8Array.of(1), -1, 1)],
  ])("an encoder of 8-bit values rejects %s", (_, action) => {
    expect(() => action(new RleEncoder(8))).toThrow(expect.objectContaining({ code: "E_INVALID_ARGUMENT" }));
  });

  it("an encoder of bits rejects a range outside the bitmap", () => {
    expect(() => new RleEncoder(1).putBits(Uint8Array.of(1), 0, 9)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });
});

describe("RleDecoder", () => {
  it.each(ALL_WIDTHS)("%d bits: skips, seeks and reads in any order", (width) => {
    const steps = fc.array(fc.tuple(fc.constantFrom("skip", "seek", "read"), fc.nat(700)), { maxLength: 12 });
    fc.assert(
      fc.property(streams(width), steps, (values, moves) => {
        const stream = rleEncode(values, width);
        const decoder = new RleDecoder(stream, 0, stream.length, width);
        for (const [move, amount] of moves) {
          const at = decoder.position;
          const count = Math.min(amount, values.length - at);
          if (move === "skip") {
            decoder.skip(count);
            expect(decoder.position).toBe(at + count);
          } else if (move === "seek") {
            decoder.seek(Math.min(amount, values.length));
            expect(decoder.position).toBe(Math.min(amount, values.length));
          } else {
            const output = new BigUint64Array(count + 2);
            decoder.decodeInto(output, 1, count);
            expect([...output]).toEqual([0n, ...values.slice(at, at + count), 0n]);
          }
        }
      }),
      { ...SEED, numRuns: 8 },
    );
  });

  it("seeks back over many runs from a checkpoint", () => {
    const values = Array.from({ length: 16 * 1000 }, (_, i) => (i >> 3) % 3);
    const stream = rleEncode(values, 8);
    const decoder = new RleDecoder(stream, 0, stream.length, 8);
    decoder.skip(values.length);
    for (let position = values.length - 1; position >= 0; position -= 97) {
      decoder.seek(position);
      const output = new Uint8Array(Math.min(5, values.length - position));
      decoder.decodeInto(output, 0, output.length);
      expect([...output]).toEqual(values.slice(position, position + 5));
    }
  });

  it("decodes bits to any position in a bitmap", () => {
    fc.assert(
      fc.property(streams(1), fc.nat(20), fc.nat(100), (values, bitStart, skipped) => {
        const stream = rleEncode(values, 1);
        const decoder = new RleDecoder(stream, 0, stream.length, 1);
        const first = Math.min(skipped, values.length);
        decoder.skip(first);
        const rest = values.slice(first);
        const bitmap = new Uint8Array(Math.ceil((bitStart + rest.length) / 8) + 1);
        decoder.decodeBits(bitmap, bitStart, rest.length);
        const expected = new Uint8Array(bitmap.length);
        expected.set(bitmapOf(rest, bitStart));
        expect(toHex(bitmap)).toBe(toHex(expected));
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it("reports the next run", () => {
    const stream = fromHex("03 f8 10 01");
    const decoder = new RleDecoder(stream, 0, stream.length, 1);
    expect(decoder.nextRun()).toEqual({ length: 8, repeated: false });
    decoder.skip(3);
    expect(decoder.nextRun()).toEqual({ length: 5, repeated: false });
    decoder.skip(5);
    expect(decoder.nextRun()).toEqual({ length: 8, repeated: true });
    decoder.skip(8);
    expect(() => decoder.nextRun()).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
  });

  it("reads only its range of the bytes", () => {
    const bytes = fromHex("ff ff 03 05 ff");
    const decoder = new RleDecoder(bytes, 2, 4, 1);
    const bitmap = new Uint8Array(1);
    decoder.decodeBits(bitmap, 0, 3);
    expect([...bitmap]).toEqual([5]);
    expect(decoder.atEnd).toBe(true);
    expect(() => new RleDecoder(bytes, 2, 4, 1).skip(9)).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED", offset: 4 }),
    );
  });

  it("is not at the end while a run or a literal byte remains", () => {
    const whole = fromHex("14 07");
    const decoder = new RleDecoder(whole, 0, whole.length, 8);
    decoder.skip(9);
    expect(decoder.atEnd).toBe(false);
    const literals = fromHex("03 01 02 03 04 05 06 07 08");
    const eight = new RleDecoder(literals, 0, literals.length, 8);
    eight.skip(7);
    expect(eight.atEnd).toBe(false);
    eight.skip(1);
    expect(eight.atEnd).toBe(true);
  });

  it.each<[string, number, string, number, string, number]>([
    ["a repeated run of no values", 8, "00 07", 1, "E_CORRUPT", 0],
    ["a literal run of no groups", 8, "01 07", 1, "E_CORRUPT", 0],
    ["a bad run behind a good one", 8, "04 07 00 07", 3, "E_CORRUPT", 2],
    ["a header of six bytes", 8, "82 80 80 80 80 00 07", 1, "E_CORRUPT", 0],
    ["a header that is a negative 32-bit integer", 8, "fe ff ff ff 0f 07", 1, "E_CORRUPT", 0],
    ["a header that ends early", 8, "82", 1, "E_TRUNCATED", 0],
    ["a repeated value past the end", 16, "04 07", 1, "E_TRUNCATED", 1],
    ["a literal run past the end", 32, "03 01 00 00", 1, "E_TRUNCATED", 1],
    ["a literal run more than a group past the end", 8, `05 ${"01 ".repeat(8)}`, 1, "E_TRUNCATED", 1],
    ["fewer values than asked for", 8, "06 07", 4, "E_TRUNCATED", 2],
    ["fewer literals than asked for", 8, "03 01 02", 3, "E_TRUNCATED", 3],
    ["no values at all", 8, "", 1, "E_TRUNCATED", 0],
    ["a repeated value wider than a bit", 1, "10 02", 8, "E_CORRUPT", 1],
    ["a repeated value wider than 33 bits", 33, "10 00 00 00 00 02", 8, "E_CORRUPT", 1],
  ])("rejects %s", (_, width, hex, count, code, offset) => {
    const error = expect.objectContaining({ name: "CFileError", code, offset });
    const bytes = fromHex(hex);
    expect(() => rleDecode(bytes, width, count)).toThrow(error);
    const decoder = new RleDecoder(bytes, 0, bytes.length, width);
    expect(() => decoder.decodeInto(new BigUint64Array(count), 0, count)).toThrow(error);
    // A rejected run stays rejected: none of its values is ever returned.
    expect(() => decoder.decodeInto(new BigUint64Array(count), 0, count)).toThrow(
      expect.objectContaining({ code }),
    );
  });

  it.each<[string, (decoder: RleDecoder) => void]>([
    ["an output that is too small", (decoder) => decoder.decodeInto(new Uint8Array(2), 1, 2)],
    ["an output of elements too narrow", (decoder) => decoder.decodeInto(new Uint8Array(9), 0, 1)],
    ["a negative count", (decoder) => decoder.skip(-1)],
    ["a seek before the start", (decoder) => decoder.seek(-1)],
    ["a seek to no place", (decoder) => decoder.seek(Number.NaN)],
    ["bits of a wider value", (decoder) => decoder.decodeBits(onesBitmap(8), 0, 1)],
  ])("rejects %s", (_, action) => {
    const stream = fromHex("06 07 00");
    expect(() => action(new RleDecoder(stream, 0, stream.length, 16))).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("rejects a bitmap that is too small", () => {
    const stream = fromHex("20 01");
    expect(() => new RleDecoder(stream, 0, 2, 1).decodeBits(new Uint8Array(1), 0, 9)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("checks a run that claims 2^30 values before allocating", () => {
    const stream = fromHex("fe ff ff ff 07 01 fe ff ff ff 07 01");
    expect(() => rleDecode(stream, 8, 2 ** 31)).toThrow(expect.objectContaining({ code: "E_TRUNCATED" }));
    expect(() => rleDecode(stream, 8, 2 ** 53)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
    );
  });

  it.each(ALL_WIDTHS)("%d bits: arbitrary bytes yield values or a CFileError", (width) => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), fc.nat(500), (bytes, count) => {
        try {
          expect(rleDecode(bytes, width, count).length).toBe(count);
        } catch (error) {
          expect(error).toMatchObject({ name: "CFileError" });
        }
      }),
      { ...SEED, numRuns: 40 },
    );
  });
});
