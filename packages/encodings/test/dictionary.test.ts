import { fromHex, toHex } from "@cfile/bytes";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openDictionaryWords } from "../src/dictionary.js";
import type { BinaryVector, DictionaryBlockBuilder, DictionaryVector } from "../src/index.js";
import { isDictionaryBuilder } from "../src/index.js";
import { wordsFromGolden } from "./golden.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { anyCells, vectorOfCells } from "./random-values.js";
import { type Cell, cellsOf } from "./vectors.js";

const SEED = { seed: 20260112 };

function dictionaryBuilder(blockSize = 1 << 20): DictionaryBlockBuilder {
  const builder = createBlockBuilder("STRING", "DICT_ENCODING", { blockSize });
  if (!isDictionaryBuilder(builder)) {
    throw new TypeError("builders of dictionary blocks make a dictionary");
  }
  return builder;
}

function open(bytes: Uint8Array, dictionary: BinaryVector) {
  return openBlock("STRING", "DICT_ENCODING", bytes, { dictionary });
}

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => toHex(new TextEncoder().encode(`word ${i}`)));

describe("dictionary blocks", () => {
  it("only dictionary builders produce a dictionary", () => {
    expect(isDictionaryBuilder(dictionaryBuilder())).toBe(true);
    expect(isDictionaryBuilder(createBlockBuilder("STRING", "PLAIN_ENCODING", { blockSize: 512 }))).toBe(
      false,
    );
  });

  // The element size of the code block: bytes 20 to 23, after mode word, ordinal, count, size and padded count.
  it.each([
    [1, 1],
    [256, 1],
    [257, 2],
    [5000, 2],
  ])("%d words have codes of %d bytes; every word is found again", (count, width) => {
    const cells = [...numbered(count), ...numbered(count).reverse()];
    const vector = vectorOfCells("STRING", cells);
    const builder = dictionaryBuilder(1 << 22);
    expect(builder.add(vector, 0, cells.length)).toBe(cells.length);
    const block = builder.finish(0);
    expect(new DataView(block.buffer).getUint32(20, true)).toBe(width);
    const words = openDictionaryWords(builder.finishDictionary());
    expect(words.length).toBe(count);
    const decoded = open(block, words).decode(0, cells.length);
    expect(decoded.kind === "dictionary" && decoded.dictionary).toBe(words);
    expect(cellsOf(decoded).join()).toBe(cells.join());
  });

  it("distinguishes words of all lengths with a common prefix", () => {
    const cells: Cell[] = [];
    for (let length = 0; length <= 70; length++) {
      cells.push("00".repeat(length), "61".repeat(length), `${"61".repeat(length)}62`);
    }
    const builder = dictionaryBuilder();
    builder.add(vectorOfCells("STRING", [...cells, ...cells]), 0, 2 * cells.length);
    builder.finish(0);
    expect(cellsOf(openDictionaryWords(builder.finishDictionary()))).toEqual([...new Set(cells)]);
  });

  it("distinguishes words that differ only in the middle", () => {
    const cells = Array.from({ length: 3000 }, (_, i) => {
      return toHex(new TextEncoder().encode(`same-beginning-${i * 7919}-same-end`));
    });
    const builder = dictionaryBuilder();
    builder.add(vectorOfCells("STRING", [...cells, ...cells]), 0, 6000);
    const block = builder.finish(0);
    const words = openDictionaryWords(builder.finishDictionary());
    expect(cellsOf(words)).toEqual(cells);
    expect(cellsOf(open(block, words).decode(0, 6000))).toEqual([...cells, ...cells]);
  });

  it("distinguishes words of every length that end in zeros", () => {
    const cells = Array.from({ length: 40 }, (_, length) => [
      "00".repeat(length),
      `${"00".repeat(length)}01`,
      `01${"00".repeat(length)}`,
    ]).flat();
    const distinct = [...new Set(cells)];
    const builder = dictionaryBuilder();
    builder.add(vectorOfCells("BINARY", [...cells, ...cells]), 0, 2 * cells.length);
    const block = builder.finish(0);
    const words = openDictionaryWords(builder.finishDictionary());
    expect(cellsOf(words)).toEqual(distinct);
    expect(cellsOf(open(block, words).decode(0, 2 * cells.length))).toEqual([...cells, ...cells]);
  });

  it("blocks share one dictionary, even for vectors with different dictionaries", () => {
    const piece = fc.tuple(anyCells("STRING", 3), fc.constantFrom("strings", "own", "common"));
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), (pieces) => {
        const builder = dictionaryBuilder();
        const common = wordsFromGolden([...new Set(pieces.flatMap(([cells]) => cells))] as string[]);
        const commonCells = cellsOf(common);
        const blocks = pieces.map(([cells, way]) => {
          const own = way === "own" ? wordsFromGolden([...new Set(cells)].reverse() as string[]) : common;
          const wordCells = way === "own" ? cellsOf(own) : commonCells;
          const codes = Int32Array.from(cells, (cell) => wordCells.indexOf(cell));
          const coded: DictionaryVector = {
            kind: "dictionary",
            length: cells.length,
            codes,
            dictionary: own,
          };
          builder.add(way === "strings" ? vectorOfCells("STRING", cells) : coded, 0, cells.length);
          return builder.finish(0);
        });
        const words = openDictionaryWords(builder.finishDictionary());
        expect(cellsOf(words)).toEqual([...new Set(pieces.flatMap(([cells]) => cells))]);
        blocks.forEach((block, i) => {
          const decoder = open(block, words);
          expect(cellsOf(decoder.decode(0, decoder.count))).toEqual(pieces[i]?.[0]);
        });
      }),
      { ...SEED, numRuns: 60 },
    );
  });

  it("keeps a word when the memory it was added from changes", () => {
    const data = fromHex("6161");
    const vector: BinaryVector = { kind: "binary", length: 1, offsets: Int32Array.of(0, 2), data };
    const builder = dictionaryBuilder();
    builder.add(vector, 0, 1);
    data.fill(0x62);
    builder.add(vector, 0, 1);
    builder.finish(0);
    expect(cellsOf(openDictionaryWords(builder.finishDictionary()))).toEqual(["6161", "6262"]);
  });

  it("seeks compare words, in any dictionary order", () => {
    const builder = dictionaryBuilder();
    const shuffled = ["6d", "61", "7a", "6262"];
    builder.add(vectorOfCells("STRING", shuffled), 0, 4);
    builder.finish(0);
    const sorted = ["61", "61", "6262", "6d", "7a", "7a"];
    builder.add(vectorOfCells("STRING", sorted), 0, 6);
    const block = builder.finish(4);
    const words = openDictionaryWords(builder.finishDictionary());
    expect(cellsOf(words)).toEqual(shuffled);
    const decoder = open(block, words);
    expect(decoder.seek(fromHex("61"))).toEqual({ position: 0, exact: true });
    expect(decoder.seek(fromHex("62"))).toEqual({ position: 2, exact: false });
    expect(decoder.seek(fromHex("7a"))).toEqual({ position: 4, exact: true });
    expect(decoder.seek(fromHex("7a00"))).toEqual({ position: 6, exact: false });
    expect(decoder.seek(fromHex(""))).toEqual({ position: 0, exact: false });
  });

  it("a block in plain mode needs no dictionary", () => {
    const bytes = fromHex("02000000 07000000 01000000 0d000000 61 00 0c 00 00 00");
    const decoder = openBlock("BINARY", "DICT_ENCODING", bytes);
    decoder.check();
    expect(decoder.ordinal).toBe(7);
    expect(cellsOf(decoder.decode(0, 1))).toEqual(["61"]);
    expect(decoder.seek(fromHex("61"))).toEqual({ position: 0, exact: true });
  });

  it("a builder starts over after finishDictionary and builds the same dictionary", () => {
    const builder = dictionaryBuilder();
    const vector = vectorOfCells("STRING", ["61", "62", "61"]);
    const files = [0, 1].map(() => {
      builder.add(vector, 0, 3);
      return [toHex(builder.finish(0)), toHex(builder.finishDictionary())];
    });
    expect(files[1]).toEqual(files[0]);
  });
});
