import { fromHex, onesBitmap, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchFromValues, concatBatches } from "../src/batches.js";
import { scatterVector } from "../src/headers.js";
import {
  batchOfVector,
  type CellValue,
  type ColumnBatch,
  DATA_TYPES,
  type DataType,
  DictionaryBatch,
  type InputCell,
  readInt128,
  type Vector,
  writeInt128,
} from "../src/index.js";
import { findDescent } from "../src/keys.js";
import { vectorBytes, vectorFromGolden, wordsFromGolden } from "./golden.js";
import { anyCell, anyCells, compareCells, vectorOfCells } from "./random-values.js";
import { type Cell, cellsOf } from "./vectors.js";

const SEED = { seed: 20260110 };
const TYPES = Object.keys(DATA_TYPES) as DataType[];

function batch(type: DataType, values: readonly InputCell[], firstRow = 0): ColumnBatch {
  return batchFromValues({ type, nullable: true, array: values.some(Array.isArray) }, values, firstRow);
}

function dictionaryBatch(codes: number[], words: string[], nulls: number[] = []): DictionaryBatch {
  const validity = onesBitmap(codes.length);
  for (const row of nulls) {
    validity[row >> 3] = (validity[row >> 3] as number) & ~(1 << (row & 7));
  }
  const rows = {
    type: "STRING" as const,
    length: codes.length,
    firstRow: 0,
    validity,
    nullCount: nulls.length,
  };
  return new DictionaryBatch(rows, Int32Array.from(codes), wordsFromGolden(words));
}

const BATCHES: [string, ColumnBatch, CellValue[]][] = [
  ["INT32", batch("INT32", [1, null, -3]), [1, null, -3]],
  ["UINT64", batch("UINT64", [2n ** 64n - 1n, null, 0]), [2n ** 64n - 1n, null, 0n]],
  ["INT128", batch("INT128", [-(2n ** 127n), null, 5]), [-(2n ** 127n), null, 5n]],
  ["DOUBLE", batch("DOUBLE", [0.5, null, Number.NaN]), [0.5, null, Number.NaN]],
  ["BOOL", batch("BOOL", [true, null, false]), [true, null, false]],
  ["STRING of ASCII", batch("STRING", ["ab", null, ""]), ["ab", null, ""]],
  ["STRING", batch("STRING", ["aß", null, "𝄞", "\ufeffBOM"]), ["aß", null, "𝄞", "\ufeffBOM"]],
  ["BINARY", batch("BINARY", [Uint8Array.of(255), null]), [Uint8Array.of(255), null]],
  ["dictionary", dictionaryBatch([1, 0, 1, 0], ["61", "c39f"], [3]), ["ß", "a", "ß", null]],
  ["arrays", batch("INT8", [[1, null], null, [], [4]]), [[1, null], null, [], [4]]],
  [
    "arrays of strings",
    batch("VARCHAR", [["a", null], null, [], ["", "bc"]]),
    [["a", null], null, [], ["", "bc"]],
  ],
];

describe("column batches", () => {
  it.each(BATCHES)("%s: get, isNull and toArray agree", (_, rows, cells) => {
    expect(rows.toArray()).toEqual(cells);
    expect(cells.map((_, i) => rows.get(i))).toEqual(cells);
    expect(cells.map((_, i) => rows.isNull(i))).toEqual(cells.map((cell) => cell === null));
    expect(rows.nullCount).toBe(cells.filter((cell) => cell === null).length);
    for (const outside of [-1, cells.length, Number.NaN]) {
      expect(rows.get(outside)).toBeUndefined();
    }
  });

  it("strings as bytes are copies of the stored bytes, valid UTF-8 or not", () => {
    const rows = batch("STRING", [fromHex("ff61"), null, "b"]);
    expect(rows.toArray()).toEqual(["\ufffda", null, "b"]);
    expect(rows.toArray({ strings: "bytes" })).toEqual([fromHex("ff61"), null, fromHex("62")]);
    const bytes = rows.get(0, { strings: "bytes" }) as Uint8Array;
    bytes.fill(0);
    expect(rows.get(0, { strings: "bytes" })).toEqual(fromHex("ff61"));
    const arrays = batch("STRING", [["a"], ["b", null]]);
    expect(arrays.toArray({ strings: "bytes" })).toEqual([[fromHex("61")], [fromHex("62"), null]]);
    expect(arrays.get(1, { strings: "bytes" })).toEqual([fromHex("62"), null]);
  });

  it("many strings as text are what each is alone, well-formed UTF-8 or not", () => {
    const piece = fc.constantFrom(
      "61",
      "7a7a",
      "c3",
      "9f",
      "c39f",
      "f09d849e",
      "f09d",
      "849e",
      "80",
      "efbfbd",
      "efbbbf",
    );
    const text = fc.array(piece, { maxLength: 12 }).map((parts) => fromHex(parts.join("")));
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    fc.assert(
      fc.property(fc.array(fc.option(text), { maxLength: 30 }), fc.nat(3), (cells, cut) => {
        const rows = batch("STRING", cells);
        const expected = cells.map((cell) => (cell === null ? null : decoder.decode(cell)));
        expect(rows.toArray()).toEqual(expected);
        const half = cells.slice(cut);
        expect(batch("VARCHAR", half).toArray()).toEqual(expected.slice(cut));
      }),
      SEED,
    );
  });

  it("rows and batches of one dictionary share the strings of its words, and get and toArray agree", () => {
    const words = wordsFromGolden(["61", "c39f", "ff", "6263"]);
    const rows = { type: "STRING" as const, length: 5, firstRow: 0, validity: undefined, nullCount: 0 };
    const first = new DictionaryBatch(rows, Int32Array.of(3, 1, 3, 2, 0), words);
    const second = new DictionaryBatch({ ...rows, length: 2 }, Int32Array.of(1, 3), words);
    expect(second.get(1)).toBe("bc");
    expect(first.toArray()).toEqual(["bc", "ß", "bc", "\ufffd", "a"]);
    expect(second.toArray()).toEqual(["ß", "bc"]);
    expect(new DictionaryBatch({ ...rows, type: "BINARY" }, first.codes, words).get(0)).toEqual(
      fromHex("6263"),
    );
    const none = { ...rows, length: 1, validity: Uint8Array.of(0), nullCount: 1 };
    expect(new DictionaryBatch(none, Int32Array.of(0), wordsFromGolden([])).toArray()).toEqual([null]);
  });

  it.each<[DataType, bigint]>([
    ["INT64", 2n ** 53n],
    ["UINT64", 2n ** 64n - 1n],
    ["INT128", -(2n ** 53n)],
  ])("%s as number: exact or an error", (type, large) => {
    const rows = batch(type, [7, null, large]);
    expect(rows.get(0, { int64: "number" })).toBe(7);
    expect(rows.get(1, { int64: "number" })).toBe(null);
    const error = expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "int64" });
    expect(() => rows.get(2, { int64: "number" })).toThrow(error);
    expect(() => rows.toArray({ int64: "number" })).toThrow(error);
    expect(batch(type, [2 ** 53 - 1, -0]).toArray({ int64: "number" })).toEqual([2 ** 53 - 1, 0]);
  });

  it("validity is undefined exactly when no row is null", () => {
    expect(batch("INT8", [1, 2]).validity).toBeUndefined();
    expect(batch("INT8", [1, null]).validity).toEqual(Uint8Array.of(1));
  });
});

it("128-bit integers keep all their bits and no others", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 130n), max: 2n ** 130n }), (value) => {
      const bytes = new Uint8Array(18).fill(9);
      writeInt128(bytes, 1, value);
      expect(readInt128(bytes, 1)).toBe(BigInt.asIntN(128, value));
      expect([bytes[0], bytes[17]]).toEqual([9, 9]);
    }),
    SEED,
  );
});

describe("scatter", () => {
  /** The vector at an address that is not a multiple of its element size, if its kind allows that. */
  function misaligned(vector: Vector): Vector {
    if (vector.kind !== "fixed" || !(vector.values instanceof Uint8Array)) {
      return vector;
    }
    const shifted = new Uint8Array(vector.values.length + 1).subarray(1);
    shifted.set(vector.values);
    return { ...vector, values: shifted };
  }

  it.each(TYPES)("%s: present rows get the values, null rows zeros", (type) => {
    const rows: fc.Arbitrary<(Cell | null)[]> = fc.oneof(
      fc.array(fc.option(anyCell(type)), { maxLength: 70 }),
      anyCells(type, 3),
    );
    fc.assert(
      fc.property(rows, (cells) => {
        const validity = new Uint8Array(Math.ceil(cells.length / 8));
        cells.forEach((cell, row) => {
          validity[row >> 3] = (validity[row >> 3] as number) | (Number(cell !== null) << (row & 7));
        });
        const values = vectorOfCells(
          type,
          cells.filter((cell): cell is Cell => cell !== null),
        );
        for (const vector of [values, misaligned(values)]) {
          const spread = scatterVector(vector, validity, cells.length);
          expect(spread.length).toBe(cells.length);
          const spreadCells = cellsOf(spread);
          cells.forEach((cell, row) => {
            if (cell !== null) {
              expect(spreadCells[row]).toBe(cell);
            } else {
              expect(["", 0, 0n, false]).toContain(spreadCells[row]);
            }
          });
        }
      }),
      { ...SEED, numRuns: 40 },
    );
  });

  it("scatters dictionary codes", () => {
    const { codes, dictionary } = dictionaryBatch([1, 1, 0], ["61", "62"]);
    const spread = scatterVector(
      { kind: "dictionary", length: 3, codes, dictionary },
      Uint8Array.of(0b10110),
      5,
    );
    expect(cellsOf(spread)).toEqual(["61", "62", "62", "61", "61"]);
    expect(spread.kind === "dictionary" && [...spread.codes]).toEqual([0, 1, 1, 0, 0]);
  });
});

describe("concatBatches", () => {
  const INPUTS: { [type: string]: (CellValue | undefined)[] } = {
    INT16: [1, null, -3, 4, null, 6, 7, 8, 9, 10],
    INT128: [1, null, -3, 2n ** 100n, null],
    FLOAT: [1.5, null, Number.NaN],
    BOOL: [true, null, false, true, true, null, false, true, true, true, false],
    STRING: ["a", null, "", "bcd"],
    BINARY: [Uint8Array.of(1), null, new Uint8Array(0)],
  };

  it.each(Object.keys(INPUTS) as DataType[])("%s: joins the rows of all ranges in order", (type) => {
    const values = INPUTS[type] as (CellValue | undefined)[];
    const cells = batch(type, values).toArray();
    const ranges = fc.array(fc.tuple(fc.nat(values.length), fc.nat(values.length)), {
      minLength: 1,
      maxLength: 5,
    });
    fc.assert(
      fc.property(ranges, fc.boolean(), (pairs, arrays) => {
        const source = arrays
          ? batch(
              type,
              values.map((v, i) => (i % 3 === 2 ? null : [v, v])),
            )
          : batch(type, values, 100);
        const expectedCells = arrays ? source.toArray() : cells;
        const parts = pairs.map(([a, b]) => ({ batch: source, from: Math.min(a, b), to: Math.max(a, b) }));
        const [first, ...rest] = parts;
        if (first === undefined) {
          return;
        }
        const joined = concatBatches([first, ...rest]);
        expect(joined.toArray()).toEqual(parts.flatMap(({ from, to }) => expectedCells.slice(from, to)));
        expect(joined.firstRow).toBe(source.firstRow + first.from);
        expect(joined.type).toBe(type);
      }),
      { ...SEED, numRuns: 60 },
    );
  });

  it("dictionary batches with different dictionaries become strings", () => {
    const first = dictionaryBatch([1, 0, 1], ["61", "62"], [1]);
    const second = dictionaryBatch([0, 0], ["c39f"]);
    const strings = batch("STRING", ["x", null]);
    const joined = concatBatches([
      { batch: first, from: 0, to: 3 },
      { batch: second, from: 1, to: 2 },
      { batch: strings, from: 0, to: 2 },
    ]);
    expect(joined.kind).toBe("binary");
    expect(joined.toArray()).toEqual(["b", null, "b", "ß", "x", null]);
  });

  it("NaN payloads survive", () => {
    const vector = vectorFromGolden("FLOAT", [{ bits: "7fa00001" }, { bits: "ffc12345" }]);
    const rows = { type: "FLOAT" as const, length: 2, firstRow: 0, validity: undefined, nullCount: 0 };
    const source = batchOfVector(rows, vector);
    const joined = concatBatches([
      { batch: source, from: 1, to: 2 },
      { batch: source, from: 0, to: 1 },
    ]);
    expect(joined.kind === "fixed" && toHex(vectorBytes(joined))).toBe("4523c1ff0100a07f");
  });

  it.each<[string, ColumnBatch, ColumnBatch]>([
    ["INT8 and INT16", batch("INT8", [1]), batch("INT16", [1])],
    ["BOOL and INT8", batch("BOOL", [true]), batch("INT8", [1])],
    ["strings and INT8", batch("STRING", ["a"]), batch("INT8", [1])],
    ["a dictionary and BOOL", dictionaryBatch([0], ["61"]), batch("BOOL", [true])],
    ["arrays and scalars", batch("INT8", [[1]]), batch("INT8", [1])],
    ["scalars and arrays", batch("INT8", [1]), batch("INT8", [[1]])],
    ["arrays of INT8 and of INT16", batch("INT8", [[1]]), batch("INT16", [[1]])],
  ])("%s cannot be joined", (_, left, right) => {
    const ranges = [
      { batch: left, from: 0, to: 1 },
      { batch: right, from: 0, to: 1 },
    ] as const;
    expect(() => concatBatches([...ranges])).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT" }),
    );
  });

  it("rejects an empty list", () => {
    expect(() => concatBatches([])).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT" }),
    );
  });

  it.each([
    [0, 4],
    [-1, 1],
    [2, 1],
    [0.5, 1],
    [0, Number.NaN],
  ])("rejects the range %d to %d of three rows", (from, to) => {
    for (const rows of [
      batch("INT8", [1, 2, 3]),
      batch("BOOL", [true, null, true]),
      batch("STRING", ["a", "b", null]),
      batch("INT8", [[1], [2], null]),
    ]) {
      expect(() =>
        concatBatches([
          { batch: rows, from: 0, to: 3 },
          { batch: rows, from, to },
        ]),
      ).toThrow(expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT", field: "range" }));
    }
  });
});

describe("findDescent", () => {
  const ordered = TYPES.filter((type) => DATA_TYPES[type].isKey);

  it.each(ordered)("%s: finds the first value that is less than the previous one", (type) => {
    const descent = (cells: readonly Cell[], from: number, to: number): number | undefined => {
      const found = cells.findIndex(
        (cell, i) => i > from && i < to && compareCells(cell, cells[i - 1] as Cell) < 0,
      );
      return found < 0 ? undefined : found;
    };
    fc.assert(
      fc.property(anyCells(type, 4), anyCell(type), fc.nat(200), fc.nat(20), (cells, last, at, start) => {
        const sorted = [...cells].sort(compareCells);
        sorted.splice(Math.min(at, sorted.length), 0, last);
        const from = Math.min(start, sorted.length);
        for (const values of [sorted, cells]) {
          const to = values.length;
          const begin = Math.min(from, to);
          expect(findDescent(vectorOfCells(type, values), begin, to)).toBe(descent(values, begin, to));
        }
        if (DATA_TYPES[type].physical === "BINARY") {
          const words = [...new Set(sorted)] as string[];
          const codes = Int32Array.from(sorted, (cell) => words.indexOf(cell as string));
          const coded = {
            kind: "dictionary",
            length: sorted.length,
            codes,
            dictionary: wordsFromGolden(words),
          } as const;
          expect(findDescent(coded, from, sorted.length)).toBe(descent(sorted, from, sorted.length));
        }
      }),
      { ...SEED, numRuns: 60 },
    );
  });

  it("compares 128-bit values at an odd address", () => {
    const bytes = new Uint8Array(33);
    writeInt128(bytes, 1, -5n);
    writeInt128(bytes, 17, -6n);
    const vector = { kind: "fixed", physical: "INT128", length: 2, values: bytes.subarray(1) } as const;
    expect(findDescent(vector, 0, 2)).toBe(1);
  });

  it("ranges of zero or one value never descend", () => {
    const vector = vectorOfCells("INT32", [3, 2, 1]);
    expect(findDescent(vector, 1, 1)).toBeUndefined();
    expect(findDescent(vector, 1, 2)).toBeUndefined();
    expect(findDescent(vector, 1, 3)).toBe(2);
  });

  it.each<DataType>(["FLOAT", "DOUBLE", "BOOL", "IS_DELETED"])("%s has no order", (type) => {
    const vector = vectorFromGolden(type, []);
    expect(() => findDescent(vector, 0, 0)).toThrow(expect.objectContaining({ code: "E_UNSUPPORTED" }));
  });

  it("rejects a range outside the vector", () => {
    expect(() => findDescent(vectorOfCells("INT32", [1]), 0, 2)).toThrow(
      expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "range" }),
    );
  });
});
