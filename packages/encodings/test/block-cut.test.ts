import { toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openDictionaryWords } from "../src/dictionary.js";
import {
  type BinaryVector,
  DATA_TYPES,
  type DataType,
  type EncodingType,
  encodingsOf,
  isDictionaryBuilder,
} from "../src/index.js";
import { cutModel, dictionaryModel } from "./block-cut-model.js";
import { wordsFromGolden } from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { anyCells, vectorOfCells } from "./random-values.js";
import { type Cell, cellsOf } from "./vectors.js";

/** Failures are not shrunk: finding the smallest failing list of thousands of values takes minutes. */
const SEED = { seed: 20260109, endOnFailure: true };

const TYPES = ["INT8", "UINT32", "INT64", "INT128", "DOUBLE", "BOOL", "STRING"] as const;

const PAIRS = TYPES.flatMap((type) =>
  encodingsOf(DATA_TYPES[type].physical).map((encoding): [DataType, EncodingType] => [type, encoding]),
);

/** Cells that fill several blocks of 512 bytes, and the number of cells passed to each call. */
function calls(type: DataType): fc.Arbitrary<[Cell[], readonly number[]]> {
  const cells = fc.array(anyCells(type), { minLength: 1, maxLength: 12 }).map((parts) => parts.flat());
  const lengths = fc.oneof(
    fc.constant([1]),
    fc.constant([100]),
    fc.constant([100_000]),
    fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 10 }),
  );
  return fc.tuple(cells, lengths);
}

describe.each(PAIRS)("%s %s", (type, encoding) => {
  it("accepts values and becomes full as specified, without losing any", () => {
    const blockSizes = fc.constantFrom(512, 600, 1024);
    const intervals = fc.constantFrom(1, 3, 16);
    fc.assert(
      fc.property(calls(type), blockSizes, intervals, ([cells, lengths], blockSize, restartInterval) => {
        const vector = vectorOfCells(type, cells);
        const builder = createBlockBuilder(type, encoding, { blockSize, restartInterval });
        const model = cutModel(type, encoding, blockSize, restartInterval);
        const blocks: { bytes: Uint8Array; cells: Cell[] }[] = [];
        const done: (number | boolean)[][] = [];
        const wanted: (number | boolean)[][] = [];
        let blockStart = 0;
        let next = 0;
        for (let call = 0; next < cells.length; call++) {
          const end = Math.min(cells.length, next + (lengths[call % lengths.length] as number));
          while (next < end) {
            const taken = model.add(cells.slice(next, end), false);
            done.push([builder.add(vector, next, end), builder.count, builder.full]);
            next += taken;
            wanted.push([taken, next - blockStart, model.full]);
            if (model.full) {
              blocks.push({ bytes: builder.finish(blockStart), cells: cells.slice(blockStart, next) });
              model.cut();
              blockStart = next;
            }
          }
        }
        expect(done).toEqual(wanted);
        blocks.push({ bytes: builder.finish(blockStart), cells: cells.slice(blockStart) });
        const dictionary = isDictionaryBuilder(builder)
          ? openDictionaryWords(builder.finishDictionary())
          : undefined;
        for (const block of blocks) {
          const decoder = openBlock(type, encoding, block.bytes, { dictionary });
          decoder.check();
          expect(cellsOf(decoder.decode(0, decoder.count))).toEqual(block.cells);
        }
      }),
      { ...SEED, numRuns: 25 },
    );
  });

  it("accepts all elements of an array cell, whatever their size", () => {
    fc.assert(
      fc.property(fc.array(anyCells(type, 10), { maxLength: 6 }), (arrays) => {
        const builder = createBlockBuilder(type, encoding, { blockSize: 512 });
        const model = cutModel(type, encoding, 512, 16);
        for (const cells of arrays) {
          expect(builder.add(vectorOfCells(type, cells), 0, cells.length, true)).toBe(cells.length);
          expect(model.add(cells, true)).toBe(cells.length);
          expect(builder.full).toBe(model.full);
          if (builder.full) {
            builder.finish(0);
            model.cut();
            expect(builder.full).toBe(false);
          }
        }
      }),
      { ...SEED, numRuns: 25 },
    );
  });

  it("accepts nothing from an empty range and is not full afterward", () => {
    const builder = createBlockBuilder(type, encoding, { blockSize: 512 });
    expect(builder.add(vectorOfCells(type, []), 0, 0)).toBe(0);
    expect(builder.full).toBe(false);
  });
});

/** A run of equal values never fills a block: only runs that ended count. */
it("a column with a single distinct value never fills an RLE block", () => {
  const builder = createBlockBuilder("BOOL", "RLE", { blockSize: 512 });
  const bits = { kind: "bool", length: 80_000, values: new Uint8Array(10_000).fill(255) } as const;
  for (let i = 0; i < 100; i++) {
    builder.add(bits, 0, bits.length);
  }
  expect(builder.full).toBe(false);
  expect(builder.finish(0).length).toBeLessThan(16);
});

it.each<[DataType, EncodingType, number]>([
  ["INT32", "PLAIN_ENCODING", 127],
  ["BOOL", "PLAIN_ENCODING", 4033],
  ["INT32", "BIT_SHUFFLE", 128],
  ["UINT32", "BIT_SHUFFLE", 128],
  ["INT128", "BIT_SHUFFLE", 32],
  ["STRING", "PLAIN_ENCODING", 223],
  ["STRING", "PREFIX_ENCODING", 249],
])("%s %s: a block of 512 bytes is full after %d values added one by one", (type, encoding, count) => {
  const cell: Cell = type === "BOOL" ? false : type === "STRING" ? "61" : type === "INT128" ? 1n : 1;
  const vector = vectorOfCells(type, [cell]);
  const builder = createBlockBuilder(type, encoding, { blockSize: 512 });
  let values = 0;
  while (!builder.full) {
    values += builder.add(vector, 0, 1);
  }
  expect(values).toBe(count);
});

describe("dictionary overflow", () => {
  /** `count` different words of 100 bytes. */
  const words = (count: number, first = 0) =>
    Array.from({ length: count }, (_, i) => (first + i).toString(16).padStart(200, "0"));

  const open = (bytes: Uint8Array, dictionary: BinaryVector) => ({
    mode: bytes[0],
    cells: cellsOf(
      (() => {
        const block = openBlock("STRING", "DICT_ENCODING", bytes, { dictionary });
        return block.decode(0, block.count);
      })(),
    ),
  });

  it("the dictionary includes the word that overfills it; known words still fit; later blocks are plain", () => {
    const cells = [...words(5), words(1)[0] as string, words(1, 9)[0] as string, words(1)[0] as string];
    const vector = vectorOfCells("STRING", cells);
    const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize: 512 });
    // 12 + ceil(n / 4) + n offsets of 1 byte (2 from 256 on) + 100 n: the fifth word passes 512.
    expect(builder.add(vector, 0, cells.length)).toBe(6);
    expect(builder.full).toBe(true);
    const first = builder.finish(0);
    expect(builder.full).toBe(false);
    expect(builder.add(vector, 6, cells.length)).toBe(2);
    const second = builder.finish(6);
    const dictionary = openDictionaryWords(
      isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(0),
    );
    expect(cellsOf(dictionary)).toEqual(words(5));
    expect(open(first, dictionary)).toEqual({ mode: 1, cells: cells.slice(0, 6) });
    expect(open(second, dictionary)).toEqual({ mode: 2, cells: cells.slice(6) });
  });

  it("with one row per call, the block is cut right after the word that fills the dictionary", () => {
    const vector = vectorOfCells("STRING", words(6));
    const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize: 512 });
    for (let i = 0; i < 5; i++) {
      expect(builder.full).toBe(false);
      expect(builder.add(vector, i, i + 1)).toBe(1);
    }
    expect(builder.full).toBe(true);
    expect(builder.add(vector, 5, 6)).toBe(0);
  });

  it("a new word enters the dictionary even if the code block is full, and may fill it without being used", () => {
    const cells = [...words(4), ...new Array<string>(124).fill(words(1)[0] as string), ...words(1, 4)];
    expect(cells.length).toBe(129);
    const vector = vectorOfCells("STRING", cells);
    const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize: 512 });
    expect(builder.add(vector, 0, 129)).toBe(128);
    expect(builder.full).toBe(true);
    builder.finish(0);
    expect(builder.add(vector, 128, 129)).toBe(1);
    const second = builder.finish(128);
    const dictionary = openDictionaryWords(
      isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(0),
    );
    expect(cellsOf(dictionary)).toEqual(words(5));
    expect(open(second, dictionary)).toEqual({ mode: 2, cells: cells.slice(128) });
  });

  it("a new word that no longer fits in the code block keeps its code for the next block", () => {
    const cells = [...new Array<string>(128).fill("61"), "62"];
    const vector = vectorOfCells("STRING", cells);
    const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize: 512 });
    expect(builder.add(vector, 0, 129)).toBe(128);
    builder.finish(0);
    expect(builder.add(vector, 128, 129)).toBe(1);
    const second = builder.finish(128);
    const dictionary = openDictionaryWords(
      isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(0),
    );
    expect(cellsOf(dictionary)).toEqual(["61", "62"]);
    expect(open(second, dictionary)).toEqual({ mode: 1, cells: ["62"] });
  });

  it("codes of another dictionary produce the same blocks as their strings", () => {
    fc.assert(
      fc.property(calls("STRING"), fc.nat(), ([cells, lengths], rotation) => {
        const known = [...new Set(cells)] as string[];
        const turn = rotation % (known.length || 1);
        const foreign = [...known.slice(turn), ...known.slice(0, turn)];
        const strings = vectorOfCells("STRING", cells);
        const coded = {
          kind: "dictionary",
          length: cells.length,
          codes: Int32Array.from(cells, (cell) => foreign.indexOf(cell as string)),
          dictionary: wordsFromGolden(foreign),
        } as const;
        const options = { blockSize: 512 };
        const builders = [strings, coded].map((vector) => ({
          vector,
          builder: createBlockBuilder("STRING", "DICT_ENCODING", options),
          log: [] as unknown[],
        }));
        for (const { vector, builder, log } of builders) {
          let next = 0;
          for (let call = 0; next < cells.length; call++) {
            const end = Math.min(cells.length, next + (lengths[call % lengths.length] as number));
            const taken = builder.add(vector, next, end);
            next += taken;
            log.push([taken, builder.full]);
            if (builder.full) {
              log.push(toHex(builder.finish(0)));
            }
          }
          log.push(toHex(builder.finish(0)));
          log.push(isDictionaryBuilder(builder) && toHex(builder.finishDictionary()));
        }
        expect(builders[1]?.log).toEqual(builders[0]?.log);
      }),
      { ...SEED, numRuns: 100 },
    );
  });

  it("the dictionary matches the model's words and order", () => {
    fc.assert(
      fc.property(calls("STRING"), ([cells, lengths]) => {
        const vector = vectorOfCells("STRING", cells);
        const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize: 512 });
        const model = dictionaryModel(512);
        let next = 0;
        for (let call = 0; next < cells.length; call++) {
          const end = Math.min(cells.length, next + (lengths[call % lengths.length] as number));
          const taken = builder.add(vector, next, end);
          model.add(cells.slice(next, end), false);
          next += taken;
          if (builder.full) {
            expect(builder.finish(0)[0]).toBe(model.mode);
            model.cut();
          }
        }
        const dictionary = isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(0);
        expect(cellsOf(openDictionaryWords(dictionary))).toEqual(model.words);
      }),
      { ...SEED, numRuns: 60 },
    );
  });
});
