import { CFileError, DEFAULT_LIMITS, fromHex, getBit, toHex } from "@cfile/bytes";
import { chooseKernels } from "@cfile/kernels/encode";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeNullableBlock, parseNullableBlock } from "../src/headers.js";
import { rleEncode } from "../src/rle.js";
import { openBlock } from "./loaded-encodings.js";
import { cellsOf } from "./vectors.js";

function rowsOf(hex: string): (unknown | null)[] {
  const bytes = fromHex(hex);
  const block = parseNullableBlock(bytes, DEFAULT_LIMITS);
  const values = openBlock("INT32", "PLAIN_ENCODING", bytes.subarray(block.dataStart));
  expect(values.count).toBe(block.nonNull);
  const cells = cellsOf(values.decode(0, values.count));
  return Array.from({ length: block.rows }, (_, row) => (getBit(block.validity, row) ? cells.shift() : null));
}

describe("null header", () => {
  it.each<[string, (number | null)[], string, string]>([
    ["[1, null, 2]", [1, null, 2], "03 02 03 05", "02 00 00 00 00 00 00 00 01 00 00 00 02 00 00 00"],
    ["10 nulls", new Array<null>(10).fill(null), "0a 02 14 00", "00 00 00 00 00 00 00 00"],
  ])("encodes and decodes worked example %s", (_, rows, header, data) => {
    expect(rowsOf(header + data)).toEqual(rows);
    const bitmap = rleEncode(
      rows.map((row) => (row === null ? 0 : 1)),
      1,
    );
    expect(toHex(encodeNullableBlock(rows.length, bitmap, fromHex(data)))).toBe(
      toHex(fromHex(header + data)),
    );
  });

  it("round-trips any rows", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { minLength: 1, maxLength: 600 }), fc.uint8Array(), (rows, data) => {
        const block = encodeNullableBlock(rows.length, rleEncode(rows.map(Number), 1), data);
        const parsed = parseNullableBlock(block, DEFAULT_LIMITS);
        expect(parsed.rows).toBe(rows.length);
        expect(rows.map((_, row) => getBit(parsed.validity, row))).toEqual(rows);
        expect(parsed.nonNull).toBe(rows.filter(Boolean).length);
        expect(parsed.validity.length).toBe(Math.ceil(rows.length / 8));
        expect(toHex(block.subarray(parsed.dataStart))).toBe(toHex(data));
      }),
      { seed: 20260103, numRuns: 100 },
    );
  });

  it("clears the bits after the last row", () => {
    expect([...parseNullableBlock(fromHex("03 02 03 fd"), DEFAULT_LIMITS).validity]).toEqual([5]);
    expect([...parseNullableBlock(fromHex("03 02 06 01"), DEFAULT_LIMITS).validity]).toEqual([7]);
  });

  it.each<[string, string, string, string]>([
    ["nothing", "", "E_TRUNCATED", "row count"],
    ["a row count that does not end", "80", "E_TRUNCATED", "row count"],
    ["a row count of six bytes", "80 80 80 80 80 01", "E_CORRUPT", "row count"],
    ["no bitmap length", "03", "E_TRUNCATED", "null bitmap length"],
    ["no rows", "00 00", "E_CORRUPT", "row count"],
    ["a bitmap longer than what remains", "03 03 03 05", "E_TRUNCATED", "null bitmap"],
    ["a bitmap length of 2^32 - 1", "03 ff ff ff ff 0f 03 05", "E_TRUNCATED", "null bitmap"],
    ["an empty bitmap", "03 00", "E_TRUNCATED", "RLE stream"],
    ["a bitmap of fewer rows", "04 02 06 01", "E_TRUNCATED", "RLE stream"],
    ["a bitmap of more rows", "03 02 08 01", "E_CORRUPT", "null bitmap"],
    ["a bitmap of more literal bytes", "03 03 05 05 05", "E_CORRUPT", "null bitmap"],
    ["a bitmap with a run behind its end", "03 04 03 05 02 01", "E_CORRUPT", "null bitmap"],
    ["a run of no rows", "03 02 00 01", "E_CORRUPT", "run header"],
    ["a literal run of no groups", "03 02 01 05", "E_CORRUPT", "run header"],
    ["a value of more than a bit", "03 02 06 02", "E_CORRUPT", "repeated value"],
    ["more rows than the limit", "ff ff ff ff 0f 02 fe 01", "E_LIMIT", "row count"],
  ])("rejects %s", (_, hex, code, field) => {
    expect(() => parseNullableBlock(fromHex(hex), DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ name: "CFileError", code, field }),
    );
  });

  it("allocates nothing for rows that the bitmap lacks", () => {
    const limits = { ...DEFAULT_LIMITS, maxBlockRows: 2 ** 32 };
    expect(() => parseNullableBlock(fromHex("ff ff ff ff 0f 06 fe ff ff ff 07 01"), limits)).toThrow(
      expect.objectContaining({ code: "E_TRUNCATED" }),
    );
  });

  it("a kernel returns the same bitmap or error, also for damaged streams", () => {
    const kernels = chooseKernels("simd");
    const parsed = (bytes: Uint8Array, withKernels: typeof kernels | undefined) => {
      try {
        const { rows, nonNull, validity, dataStart } = parseNullableBlock(bytes, DEFAULT_LIMITS, withKernels);
        return { rows, nonNull, validity: toHex(validity), dataStart };
      } catch (error) {
        expect(error).toBeInstanceOf(CFileError);
        const { code, field, offset, expected, actual } = error as CFileError;
        return { code, field, offset, expected, actual };
      }
    };
    const runs = fc.array(fc.tuple(fc.boolean(), fc.oneof(fc.nat(12), fc.nat(600))), { maxLength: 120 });
    const damage = fc.option(
      fc.record({ at: fc.nat(400), byte: fc.nat(255), rows: fc.integer({ min: -9, max: 9 }) }),
    );
    let read = 0;
    fc.assert(
      fc.property(runs, damage, fc.uint8Array({ maxLength: 20 }), (lengths, change, data) => {
        const bits = lengths.flatMap(([bit, length]) => Array<number>(length).fill(bit ? 1 : 0));
        const stream = rleEncode(bits, 1);
        if (change !== null && change.at < stream.length) {
          stream[change.at] = change.byte;
        }
        const block = encodeNullableBlock(Math.max(1, bits.length + (change?.rows ?? 0)), stream, data);
        const found = parsed(block, kernels);
        expect(found).toEqual(parsed(block, undefined));
        read += (found.rows ?? 0) > 256 ? 1 : 0;
      }),
      { seed: 20260105, numRuns: 2000 },
    );
    expect(read).toBeGreaterThan(250);
  });

  it("arbitrary bytes yield a block or a CFileError", () => {
    const prefixes = fc.constantFrom("", "0302", "0a02", "8001");
    fc.assert(
      fc.property(prefixes, fc.uint8Array({ maxLength: 30 }), (prefix, tail) => {
        const bytes = fromHex(prefix + toHex(tail));
        try {
          const { rows, nonNull, dataStart } = parseNullableBlock(bytes, DEFAULT_LIMITS);
          expect(nonNull).toBeLessThanOrEqual(rows);
          expect(dataStart).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toMatchObject({ name: "CFileError" });
        }
      }),
      { seed: 20260104, numRuns: 3000 },
    );
  });
});
