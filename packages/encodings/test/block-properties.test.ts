import { toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openDictionaryWords } from "../src/dictionary.js";
import {
  DATA_TYPES,
  type DataType,
  type DictionaryVector,
  type EncodingType,
  encodingsOf,
  isDictionaryBuilder,
} from "../src/index.js";
import { wordsFromGolden } from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { anyCells, compareCells, vectorOfCells } from "./random-values.js";
import { type Cell, cellsOf } from "./vectors.js";

const SEED = { seed: 20260108 };
const OPTIONS = { blockSize: 1 << 20 };

const TYPES = Object.keys(DATA_TYPES) as DataType[];

const PAIRS = TYPES.flatMap((type) =>
  encodingsOf(DATA_TYPES[type].physical).map((encoding): [DataType, EncodingType] => [type, encoding]),
);

function buildAndOpen(type: DataType, encoding: EncodingType, cells: readonly Cell[], ordinal = 0) {
  const builder = createBlockBuilder(type, encoding, OPTIONS);
  expect(builder.add(vectorOfCells(type, cells), 0, cells.length)).toBe(cells.length);
  const block = builder.finish(ordinal);
  const dictionary = isDictionaryBuilder(builder)
    ? openDictionaryWords(builder.finishDictionary())
    : undefined;
  return openBlock(type, encoding, block, { dictionary });
}

describe.each(PAIRS)("%s %s", (type, encoding) => {
  it("decodes to the values it was built from, whole and in parts", () => {
    const ordinals = fc.integer({ min: 0, max: 2 ** 32 - 1 });
    const cuts = fc.array(fc.tuple(fc.nat(800), fc.nat(800)), { maxLength: 4 });
    fc.assert(
      fc.property(anyCells(type), ordinals, cuts, (cells, ordinal, ranges) => {
        const block = buildAndOpen(type, encoding, cells, ordinal);
        expect(block.ordinal).toBe(ordinal);
        expect(block.count).toBe(cells.length);
        for (const [a, b] of ranges) {
          const from = Math.min(a, cells.length);
          const to = Math.max(from, Math.min(b, cells.length));
          expect(cellsOf(block.decode(from, to))).toEqual(cells.slice(from, to));
        }
        block.check();
        expect(cellsOf(block.decode(0, cells.length))).toEqual(cells);
      }),
      { ...SEED, numRuns: 25 },
    );
  });

  it("accepts any range of a vector", () => {
    fc.assert(
      fc.property(anyCells(type, 5), fc.nat(100), fc.nat(100), (cells, a, b) => {
        const from = Math.min(a, cells.length);
        const to = Math.max(from, Math.min(b, cells.length));
        const builder = createBlockBuilder(type, encoding, OPTIONS);
        const vector = vectorOfCells(type, cells);
        expect(builder.add(vector, from, to)).toBe(to - from);
        expect(builder.count).toBe(to - from);
        const part = createBlockBuilder(type, encoding, OPTIONS);
        part.add(vectorOfCells(type, cells.slice(from, to)), 0, to - from);
        expect(toHex(builder.finish(0))).toBe(toHex(part.finish(0)));
      }),
      { ...SEED, numRuns: 25 },
    );
  });

  it("rejects vectors of the wrong type, invalid ranges and ordinals", () => {
    const builder = createBlockBuilder(type, encoding, OPTIONS);
    const error = expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT" });
    const { physical } = DATA_TYPES[type];
    for (const other of ["BOOL", "STRING", "INT8", "UINT64", "FLOAT"] as const) {
      if (DATA_TYPES[other].physical !== physical) {
        const cells: Cell[] = [
          other === "BOOL" ? true : other === "STRING" ? "61" : other === "UINT64" ? 1n : 1,
        ];
        expect(() => builder.add(vectorOfCells(other, cells), 0, 1)).toThrow(error);
      }
    }
    const cell: Cell = physical === "BOOL" ? true : physical === "BINARY" ? "61" : 1;
    const vector = vectorOfCells(type, [cell]);
    for (const [from, to] of [
      [0, 2],
      [-1, 1],
      [1, 0],
      [0, 0.5],
      [Number.NaN, 1],
    ] as const) {
      expect(() => builder.add(vector, from, to)).toThrow(error);
    }
    expect(builder.count).toBe(0);
    for (const ordinal of [-1, 2 ** 32, 0.5, Number.NaN]) {
      expect(() => builder.finish(ordinal)).toThrow(error);
    }
  });

  it("rejects a vector with fewer values than its length", () => {
    const vector = { ...vectorOfCells(type, []), length: 9 };
    const builder = createBlockBuilder(type, encoding, OPTIONS);
    expect(() => builder.add(vector, 0, 9)).toThrow(
      expect.objectContaining({ name: "CFileError", code: "E_INVALID_ARGUMENT" }),
    );
    expect(builder.count).toBe(0);
  });
});

const SEEKABLE = PAIRS.filter(([type]) => DATA_TYPES[type].isKey);

describe.each(SEEKABLE)("seeks in %s %s", (type, encoding) => {
  it("find the first value at or after the target, even among equal ones", () => {
    fc.assert(
      fc.property(anyCells(type), anyCells(type, 2), (cells, targets) => {
        const sorted = [...cells].sort(compareCells);
        const block = buildAndOpen(type, encoding, sorted);
        for (const wanted of [...targets, ...cells.slice(0, 5)]) {
          const target =
            typeof wanted === "string"
              ? Uint8Array.from(Buffer.from(wanted, "hex"))
              : Number.isInteger(wanted)
                ? Number(wanted)
                : BigInt(wanted);
          const first = sorted.findIndex((cell) => cell >= wanted);
          const position = first < 0 ? sorted.length : first;
          expect(block.seek(target)).toEqual({ position, exact: sorted[position] === wanted });
        }
      }),
      { ...SEED, numRuns: 20 },
    );
  });
});

it.each([
  [[], 1],
  [[0], 1],
  [[255, 255, 255, 255, 255, 255, 255, 255, 255], 1],
  [[256], 2],
  [[1, 65535], 2],
  [[65536], 4],
  [[2 ** 32 - 1, 0], 4],
])("UINT32 BIT_SHUFFLE: the values %j take %d bytes each", (cells, width) => {
  const builder = createBlockBuilder("UINT32", "BIT_SHUFFLE", OPTIONS);
  builder.add(vectorOfCells("UINT32", cells), 0, cells.length);
  const bytes = builder.finish(0);
  expect(new DataView(bytes.buffer).getUint32(16, true)).toBe(width);
  expect(cellsOf(openBlock("UINT32", "BIT_SHUFFLE", bytes).decode(0, cells.length))).toEqual(cells);
});

describe("strings from dictionary vectors", () => {
  it.each(encodingsOf("BINARY"))("%s: produces the same block as the strings themselves", (encoding) => {
    fc.assert(
      fc.property(anyCells("STRING"), (cells) => {
        const words = [...new Set(cells)].reverse() as string[];
        const vector: DictionaryVector = {
          kind: "dictionary",
          length: cells.length,
          codes: Int32Array.from(cells, (cell) => words.indexOf(cell as string)),
          dictionary: wordsFromGolden(words),
        };
        const direct = createBlockBuilder("STRING", encoding, OPTIONS);
        const coded = createBlockBuilder("STRING", encoding, OPTIONS);
        for (let from = 0; from < cells.length; from += 50) {
          const to = Math.min(cells.length, from + 50);
          direct.add(vectorOfCells("STRING", cells), from, to);
          coded.add(vector, from, to);
        }
        expect(toHex(coded.finish(1))).toBe(toHex(direct.finish(1)));
        if (isDictionaryBuilder(coded) && isDictionaryBuilder(direct)) {
          expect(toHex(coded.finishDictionary())).toBe(toHex(direct.finishDictionary()));
        }
      }),
      { ...SEED, numRuns: 40 },
    );
  });

  it.each(encodingsOf("BINARY"))("%s: rejects codes and offsets outside the data", (encoding) => {
    const good = wordsFromGolden(["61", "6262"]);
    const error = expect.objectContaining({
      name: "CFileError",
      code: "E_INVALID_ARGUMENT",
      field: "offsets",
    });
    for (const code of [2, -1, 2 ** 31 - 1]) {
      const vector = {
        kind: "dictionary",
        length: 2,
        codes: Int32Array.of(0, code),
        dictionary: good,
      } as const;
      const builder = createBlockBuilder("STRING", encoding, OPTIONS);
      expect(() => builder.add(vector, 0, 2)).toThrow(error);
    }
    for (const offsets of [
      Int32Array.of(0, 2, 1),
      Int32Array.of(-1, 0, 1),
      Int32Array.of(0, 1, 4),
      Int32Array.of(0, 1),
    ]) {
      const builder = createBlockBuilder("STRING", encoding, OPTIONS);
      expect(() => builder.add({ ...good, offsets }, 0, 2)).toThrow(error);
    }
  });
});

describe("types and encodings", () => {
  it.each(
    TYPES.flatMap((type) =>
      (["PREFIX_ENCODING", "GROUP_VARINT", "RLE", "DICT_ENCODING", "BIT_SHUFFLE"] as const)
        .filter((encoding) => !encodingsOf(DATA_TYPES[type].physical).includes(encoding))
        .map((encoding): [DataType, EncodingType] => [type, encoding]),
    ),
  )("%s has no %s", (type, encoding) => {
    const error = expect.objectContaining({ name: "CFileError", code: "E_UNSUPPORTED", field: "encoding" });
    expect(() => createBlockBuilder(type, encoding, OPTIONS)).toThrow(error);
    expect(() => openBlock(type, encoding, new Uint8Array(100))).toThrow(error);
  });

  it.each<[DataType, EncodingType]>([
    ["INT32", "BIT_SHUFFLE"],
    ["INT128", "BIT_SHUFFLE"],
    ["DOUBLE", "BIT_SHUFFLE"],
    ["BOOL", "RLE"],
    ["IS_DELETED", "RLE"],
    ["VARCHAR", "DICT_ENCODING"],
  ])("AUTO_ENCODING of %s is %s", (type, encoding) => {
    const blocks = (["AUTO_ENCODING", encoding] as const).map((requested) =>
      toHex(createBlockBuilder(type, requested, OPTIONS).finish(7)),
    );
    expect(blocks[0]).toBe(blocks[1]);
  });
});

describe("a bitshuffle block with a damaged chunk", () => {
  it("is searched correctly in the other chunks, before and after an error", () => {
    const values = Array.from({ length: 4096 }, (_, i) => BigInt(i) * 1_000_003n);
    const builder = createBlockBuilder("INT64", "BIT_SHUFFLE", OPTIONS);
    builder.add(vectorOfCells("INT64", values), 0, values.length);
    const bytes = builder.finish(0).slice();
    // The last of four chunks, up to its end.
    bytes.fill(0xff, bytes.length - 200);
    const block = openBlock("INT64", "BIT_SHUFFLE", bytes, { dictionary: undefined });
    // Searches for values up to 2048 read the first three chunks.
    for (const position of [10, 1500, 2047, 2048]) {
      expect(block.seek(values[position] as bigint)).toEqual({ position, exact: true });
      const last = () => block.seek(values[4000] as bigint);
      expect(last).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
      expect(block.seek(values[position] as bigint)).toEqual({ position, exact: true });
    }
    expect(() => block.decode(0, values.length)).toThrow(expect.objectContaining({ code: "E_CORRUPT" }));
  });
});
