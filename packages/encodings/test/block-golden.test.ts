import { fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import type { BlockDecoder, DecodeContext } from "../src/index.js";
import { DATA_TYPES, type DataType, encodingsOf, isDictionaryBuilder, type Vector } from "../src/index.js";
import {
  type GoldenBlock,
  type GoldenBlocks,
  goldenBlockNames,
  loadGoldenBlocks,
  vectorBytes,
  vectorFromGolden,
  wordsFromGolden,
} from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { type Cell, cellsOf } from "./vectors.js";

const BLOCK_SIZE = 262144;

const files = goldenBlockNames().map((name) => ({ name, ...loadGoldenBlocks(name) }));

function builderOf({ type, encoding, block_restart_interval }: GoldenBlocks) {
  return createBlockBuilder(type, encoding, {
    blockSize: BLOCK_SIZE,
    restartInterval: block_restart_interval,
  });
}

function contextOf({ encoding }: GoldenBlocks, { values }: GoldenBlock): DecodeContext {
  return encoding === "DICT_ENCODING" ? { dictionary: wordsFromGolden(values) } : {};
}

function open(file: GoldenBlocks, block: GoldenBlock): BlockDecoder {
  return openBlock(file.type, file.encoding, fromHex(block.hex), contextOf(file, block));
}

/** Ranges that end at and around groups of 8, restarts of 16, and the ends of the block. */
function rangesOf(count: number): [number, number][] {
  const edges = [0, 1, 7, 16, 33, count - 1, count].filter((edge) => edge >= 0 && edge <= count);
  return edges.flatMap((from) => edges.filter((to) => to >= from).map((to): [number, number] => [from, to]));
}

it("the golden data covers every type in every encoding it supports", () => {
  const types = (Object.keys(DATA_TYPES) as DataType[]).filter((type) => type !== "IS_DELETED");
  const pairs = types.flatMap((type) =>
    encodingsOf(DATA_TYPES[type].physical).map((encoding) => `${type} ${encoding}`),
  );
  expect(files.map(({ type, encoding }) => `${type} ${encoding}`).sort()).toEqual(pairs.sort());
});

describe.each(files)("$name", (file) => {
  describe.each(file.cases)("$count values at ordinal $ordinal_pos", (block) => {
    const vector = vectorFromGolden(file.type, block.values);
    const cells = cellsOf(vector);

    it("is reproduced by the builder from its values", () => {
      const builder = builderOf(file);
      expect(builder.add(vector, 0, vector.length)).toBe(block.count);
      expect(builder.count).toBe(block.count);
      expect(toHex(builder.finish(block.ordinal_pos))).toBe(block.hex);
      expect(builder.count).toBe(0);
    });

    it("does not depend on how many values each call adds", () => {
      for (const step of [1, 3, 8, 13]) {
        const builder = builderOf(file);
        for (let from = 0; from < vector.length; from += step) {
          builder.add(vector, from, Math.min(vector.length, from + step));
        }
        expect(toHex(builder.finish(block.ordinal_pos))).toBe(block.hex);
      }
    });

    it("can be built by a reused builder", () => {
      const builder = builderOf(file);
      builder.add(vector, 0, vector.length);
      builder.finish(3);
      builder.add(vector, 0, vector.length);
      expect(toHex(builder.finish(block.ordinal_pos))).toBe(block.hex);
    });

    it("decodes to the values", () => {
      const decoder = open(file, block);
      expect(decoder.ordinal).toBe(block.ordinal_pos);
      expect(decoder.count).toBe(block.count);
      decoder.check();
      const decoded = decoder.decode(0, block.count);
      expect(decoded.length).toBe(block.count);
      expect(cellsOf(decoded)).toEqual(cells);
      if (decoded.kind === vector.kind && decoded.kind !== "binary") {
        expect(toHex(vectorBytes(decoded))).toBe(toHex(vectorBytes(vector)));
      }
    });

    it("decodes any range, in sequence or with a new decoder", () => {
      const decoder = open(file, block);
      for (const [from, to] of rangesOf(block.count)) {
        expect(cellsOf(decoder.decode(from, to))).toEqual(cells.slice(from, to));
      }
      for (const [from, to] of rangesOf(block.count).reverse()) {
        expect(cellsOf(decoder.decode(from, to))).toEqual(cells.slice(from, to));
        expect(cellsOf(open(file, block).decode(from, to))).toEqual(cells.slice(from, to));
      }
    });

    it("decodes at an unaligned address", () => {
      const bytes = fromHex(block.hex);
      const shifted = new Uint8Array(bytes.length + 1).subarray(1);
      shifted.set(bytes);
      const decoder = openBlock(file.type, file.encoding, shifted, contextOf(file, block));
      expect(cellsOf(decoder.decode(0, block.count))).toEqual(cells);
    });

    it("rejects ranges outside the block", () => {
      for (const [from, to] of [
        [-1, 0],
        [0, block.count + 1],
        [1, 0],
        [Number.NaN, 0],
        [0, Number.NaN],
      ] as const) {
        expect(() => open(file, block).decode(from, to)).toThrow(
          expect.objectContaining({ code: "E_INVALID_ARGUMENT", field: "range" }),
        );
      }
    });
  });
});

describe("dictionary blocks", () => {
  it.each(files.filter(({ encoding }) => encoding === "DICT_ENCODING"))(
    "$name: the dictionary lists words in order of first use",
    (file) => {
      for (const { values } of file.cases) {
        const builder = builderOf(file);
        const vector: Vector = vectorFromGolden(file.type, values);
        builder.add(vector, 0, vector.length);
        builder.finish(0);
        const words = isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(0);
        const decoder = openBlock("BINARY", "PLAIN_ENCODING", words);
        expect(decoder.ordinal).toBe(0);
        expect(cellsOf(decoder.decode(0, decoder.count))).toEqual(cellsOf(wordsFromGolden(values)));
      }
    },
  );
});

const sortable = files.filter(({ type }) => !["BOOL", "FLOAT", "DOUBLE"].includes(type));

describe.each(sortable)("$name, values sorted", (file) => {
  it("seeks find the first value at or after the target", () => {
    const longest = file.cases.reduce((a, b) => (b.count > a.count ? b : a));
    const unsorted = cellsOf(vectorFromGolden(file.type, longest.values));
    const sorted = longest.values
      .map((value, i) => ({ value, cell: unsorted[i] as Cell }))
      .sort((a, b) => (a.cell < b.cell ? -1 : a.cell > b.cell ? 1 : 0))
      .map(({ value }) => value);
    const vector = vectorFromGolden(file.type, sorted);
    const cells = cellsOf(vector);
    const builder = builderOf(file);
    builder.add(vector, 0, vector.length);
    const context = contextOf(file, { ...longest, values: sorted });
    const decoder = openBlock(file.type, file.encoding, builder.finish(0), context);
    for (const cell of cells) {
      const targets =
        typeof cell === "string"
          ? [fromHex(cell), fromHex(`${cell}00`), fromHex(cell.slice(2))]
          : typeof cell === "bigint"
            ? [cell - 1n, cell, cell + 1n]
            : [Number(cell) - 1, Number(cell), Number(cell) + 1, Number(cell) + 0.5];
      for (const target of targets) {
        const wanted = target instanceof Uint8Array ? toHex(target) : target;
        const first = cells.findIndex((other) => other >= wanted);
        const position = first < 0 ? cells.length : first;
        expect(decoder.seek(target)).toEqual({ position, exact: cells[position] === wanted });
      }
    }
  });

  it("seeks reject targets of the wrong kind", () => {
    const block = file.cases[1] as GoldenBlock;
    const { physical } = DATA_TYPES[file.type];
    for (const bad of physical === "BINARY" ? [1, 1n] : [Uint8Array.of(1), Number.NaN]) {
      expect(() => open(file, block).seek(bad)).toThrow(
        expect.objectContaining({ code: "E_INVALID_ARGUMENT" }),
      );
    }
  });
});

it.each(files.filter(({ type }) => ["BOOL", "FLOAT", "DOUBLE"].includes(type)))(
  "$name: rejects seeks, since values have no key order",
  (file) => {
    expect(() => open(file, file.cases[1] as GoldenBlock).seek(1)).toThrow(
      expect.objectContaining({ code: "E_UNSUPPORTED" }),
    );
  },
);
