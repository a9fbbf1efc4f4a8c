import { DEFAULT_LIMITS, fromHex, getBit, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodeArrayBlock, parseArrayBlock } from "../src/headers.js";
import { rleEncode } from "../src/rle.js";
import { openBlock } from "./loaded-encodings.js";
import { type Cell, cellsOf } from "./vectors.js";

type Row = (Cell | null)[] | null;

function rowsOf(type: "INT8" | "INT32", bytes: Uint8Array): Row[] {
  const block = parseArrayBlock(bytes, DEFAULT_LIMITS);
  const values = openBlock(type, "PLAIN_ENCODING", bytes.subarray(block.dataStart));
  expect(values.count).toBe(block.nonNullElements);
  const cells = cellsOf(values.decode(0, values.count));
  let element = 0;
  return Array.from(block.counts, (count, row) => {
    const cell = Array.from({ length: count }, () =>
      getBit(block.elementValidity, element++) ? (cells.shift() ?? null) : null,
    );
    return getBit(block.rowValidity, row) ? cell : null;
  });
}

function encode(rows: readonly Row[], data: Uint8Array): Uint8Array {
  const elements = rows.flatMap((row) => row ?? []);
  return encodeArrayBlock(
    {
      elements: elements.length,
      rows: rows.length,
      elementValidity: rleEncode(
        elements.map((element) => (element === null ? 0 : 1)),
        1,
      ),
      elementCounts: rleEncode(
        rows.map((row) => row?.length ?? 0),
        16,
      ),
      rowValidity: rleEncode(
        rows.map((row) => (row === null ? 0 : 1)),
        1,
      ),
    },
    data,
  );
}

describe("array header", () => {
  it.each<[string, "INT8" | "INT32", Row[], string, string]>([
    [
      "of the design document",
      "INT8",
      [[1, 2], [], null, [3, 4], [5, 6, 7, 8], [null], [9]],
      "0a 07 | 04 10 01 03 02 | 0f 03 02 00 00 00 00 00 02 00 04 00 01 00 01 00 | 02 03 7b",
      "09 00 00 00 00 00 00 00 01 02 03 04 05 06 07 08 09",
    ],
    [
      "three null cells",
      "INT32",
      [null, null, null],
      "00 03 | 00 | 03 06 00 00 | 02 06 00",
      "00 00 00 00 00 00 00 00",
    ],
  ])("encodes and decodes worked example %s", (_, type, rows, header, data) => {
    const block = fromHex((header + data).replaceAll("|", ""));
    expect(rowsOf(type, block)).toEqual(rows);
    expect(toHex(encode(rows, fromHex(data)))).toBe(toHex(block));
  });

  it("round-trips any rows", () => {
    const row = fc.option(fc.array(fc.option(fc.constant(1)), { maxLength: 20 }));
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 80 }), fc.uint8Array(), (rows, data) => {
        const bytes = encode(rows, data);
        const block = parseArrayBlock(bytes, DEFAULT_LIMITS);
        const elements = rows.flatMap((cells) => cells ?? []);
        expect(block.rows).toBe(rows.length);
        expect(block.elements).toBe(elements.length);
        expect([...block.counts]).toEqual(rows.map((cells) => cells?.length ?? 0));
        expect(rows.map((_, i) => getBit(block.rowValidity, i))).toEqual(rows.map((cells) => cells !== null));
        expect(elements.map((_, i) => getBit(block.elementValidity, i))).toEqual(
          elements.map((element) => element !== null),
        );
        expect(block.nonNullElements).toBe(elements.filter((element) => element !== null).length);
        expect(toHex(bytes.subarray(block.dataStart))).toBe(toHex(data));
      }),
      { seed: 20260105, numRuns: 150 },
    );
  });

  it("element counts are unsigned: a row can have 65535 elements", () => {
    const rows = [new Array<Cell>(65535).fill(1), []];
    const block = parseArrayBlock(encode(rows, new Uint8Array(0)), DEFAULT_LIMITS);
    expect([...block.counts]).toEqual([65535, 0]);
    expect(block.nonNullElements).toBe(65535);
  });

  it.each<[string, string, string, string]>([
    ["nothing", "", "E_TRUNCATED", "element count"],
    ["an element count of six bytes", "80 80 80 80 80 01", "E_CORRUPT", "element count"],
    ["no row count", "02", "E_TRUNCATED", "row count"],
    ["no rows", "00 00 00 00 00", "E_CORRUPT", "row count"],
    ["no element bitmap length", "02 01", "E_TRUNCATED", "element bitmap length"],
    ["an element bitmap past the end", "02 01 03 04 01", "E_TRUNCATED", "element bitmap"],
    ["an element bitmap length of 2^32 - 1", "02 01 ff ff ff ff 0f 04", "E_TRUNCATED", "element bitmap"],
    [
      "an element bitmap where there are no elements",
      "00 01 02 02 01 03 02 00 00 02 02 01",
      "E_CORRUPT",
      "element bitmap",
    ],
    [
      "no element bitmap where there are elements",
      "02 01 00 03 02 02 00 02 02 01",
      "E_TRUNCATED",
      "RLE stream",
    ],
    ["element bits missing", "03 01 02 04 01 03 02 03 00 02 02 01", "E_TRUNCATED", "RLE stream"],
    ["element bits too many", "01 01 02 04 01 03 02 01 00 02 02 01", "E_CORRUPT", "element bitmap"],
    ["element numbers past the end", "02 01 02 04 01 04 02 02 00", "E_TRUNCATED", "element numbers"],
    ["element numbers missing", "02 02 02 04 01 03 02 02 00 02 04 01", "E_TRUNCATED", "RLE stream"],
    ["element numbers too many", "02 01 02 04 01 03 04 01 00 02 02 01", "E_CORRUPT", "element numbers"],
    [
      "element numbers padded to a group of 8",
      "01 01 02 02 01 05 03 01 00 00 00 02 02 01",
      "E_CORRUPT",
      "element numbers",
    ],
    [
      "element numbers that add up to less",
      "02 01 02 04 01 03 02 01 00 02 02 01",
      "E_CORRUPT",
      "element numbers",
    ],
    [
      "element numbers that add up to more",
      "02 01 02 04 01 03 02 03 00 02 02 01",
      "E_CORRUPT",
      "element numbers",
    ],
    ["elements in a null row", "02 01 02 04 01 03 02 02 00 02 02 00", "E_CORRUPT", "element numbers"],
    ["a row bitmap past the end", "00 01 00 03 02 00 00 03 02 01", "E_TRUNCATED", "row bitmap"],
    ["row bits missing", "00 02 00 03 04 00 00 02 02 01", "E_TRUNCATED", "RLE stream"],
    ["row bits too many", "00 01 00 03 02 00 00 02 04 01", "E_CORRUPT", "row bitmap"],
    ["more elements than the limit", "ff ff ff ff 0f 01", "E_LIMIT", "element count"],
    ["more rows than the limit", "00 ff ff ff ff 0f", "E_LIMIT", "row count"],
  ])("rejects %s", (_, hex, code, field) => {
    expect(() => parseArrayBlock(fromHex(hex), DEFAULT_LIMITS)).toThrow(
      expect.objectContaining({ name: "CFileError", code, field }),
    );
  });

  it("arbitrary bytes yield a block or a CFileError", () => {
    const prefixes = fc.constantFrom("", "0001", "00010003020000", "0302", "0201020401", "0a070410010302");
    fc.assert(
      fc.property(prefixes, fc.uint8Array({ maxLength: 30 }), (prefix, tail) => {
        const bytes = fromHex(prefix + toHex(tail));
        try {
          const block = parseArrayBlock(bytes, DEFAULT_LIMITS);
          expect(block.nonNullElements).toBeLessThanOrEqual(block.elements);
          expect(block.counts.reduce((a, b) => a + b, 0)).toBe(block.elements);
          expect(block.dataStart).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toMatchObject({ name: "CFileError" });
        }
      }),
      { seed: 20260106, numRuns: 5000 },
    );
  });
});
