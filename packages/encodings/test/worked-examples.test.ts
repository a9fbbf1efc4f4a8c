import { fromHex, toHex } from "@cfile/bytes";
import { describe, expect, it } from "vitest";
import { openDictionaryWords } from "../src/dictionary.js";
import type { DataType, EncodingType } from "../src/index.js";
import { isDictionaryBuilder } from "../src/index.js";
import { createBlockBuilder, openBlock } from "./loaded-encodings.js";
import { vectorOfCells } from "./random-values.js";
import { type Cell, cellsOf } from "./vectors.js";

const OPTIONS = { blockSize: 262144 };

const text = (...words: string[]): string[] => words.map((word) => toHex(new TextEncoder().encode(word)));

/** Keys k00, k01, ... as prefix entries: restarts at 0 and 16, a new tens digit at 10. */
const K_ENTRIES = [
  "00 03 6b 30 30",
  ...[..."123456789"].map((digit) => `02 01 3${digit}`),
  "01 02 31 30",
  ...[..."12345"].map((digit) => `02 01 3${digit}`),
  "00 03 6b 31 36",
  "02 01 37",
].join(" ");

const K_KEYS = text(...Array.from({ length: 18 }, (_, i) => `k${String(i).padStart(2, "0")}`));

const EXAMPLES: [DataType, EncodingType, string, number, Cell[], string][] = [
  // 5.1
  ["INT32", "PLAIN_ENCODING", "[1, 2, -3]", 5, [1, 2, -3], "03000000 05000000 01000000 02000000 fdffffff"],
  // 5.2
  [
    "BOOL",
    "PLAIN_ENCODING",
    "nine bits",
    0,
    [true, false, true, true, false, false, false, false, true],
    "09000000 00000000 0d 01",
  ],
  // 5.3
  [
    "STRING",
    "PLAIN_ENCODING",
    "three strings, one empty",
    0,
    text("a", "", "bcd"),
    "00000000 03000000 10000000 61626364 00 0c 0d 0d 00",
  ],
  ["STRING", "PLAIN_ENCODING", "nothing", 7, [], "07000000 00000000 0c000000"],
  // 5.4
  [
    "STRING",
    "PREFIX_ENCODING",
    "apple, apply, bat",
    0,
    text("apple", "apply", "bat"),
    "00 03 00 10 00 | 00 05 61 70 70 6c 65 | 04 01 79 | 00 03 62 61 74 | 00000000",
  ],
  ["STRING", "PREFIX_ENCODING", "nothing", 3, [], "00 00 03 10 00 | 00000000"],
  [
    "STRING",
    "PREFIX_ENCODING",
    "a listed restart",
    0,
    K_KEYS,
    `00 12 00 10 00 | ${K_ENTRIES} | 38000000 01000000`,
  ],
  // 5.5
  ["INT16", "RLE", "[-1, -1, 5]", 0, [-1, -1, 5], "03000000 00000000 03 ff ff ff ff 05 00"],
  ["INT16", "RLE", "nothing", 0, [], "00000000 00000000"],
  // 5.6, and the code block of 3.7
  [
    "STRING",
    "DICT_ENCODING",
    "x, yy, x",
    0,
    text("x", "yy", "x"),
    "01000000 | 00000000 03000000 21000000 08000000 01000000 | 00000009 80 02 00 00 00 00 00 00 00",
  ],
  // 5.8
  [
    "INT32",
    "BIT_SHUFFLE",
    "1 to 5",
    0,
    [1, 2, 3, 4, 5],
    "00000000 05000000 26000000 08000000 04000000 | 0000000e 4f 15 06 18 00 01 00 04 50 00 00 00 00 00",
  ],
  [
    "UINT32",
    "BIT_SHUFFLE",
    "two bytes wide",
    0,
    [1, 2, 300],
    `00000000 03000000 2a000000 08000000 02000000 |
     00000012 f0 01 01 02 04 04 00 04 00 00 04 00 00 00 00 00 00 00`,
  ],
  [
    "UINT32",
    "BIT_SHUFFLE",
    "one byte wide",
    0,
    [0, 1, 0, 2],
    "00000000 04000000 21000000 08000000 01000000 | 00000009 80 02 08 00 00 00 00 00 00",
  ],
  [
    "INT64",
    "BIT_SHUFFLE",
    "0 to 15",
    0,
    Array.from({ length: 16 }, (_, i) => BigInt(i)),
    `00000000 10000000 2b000000 10000000 08000000 |
     00000013 9f aa aa cc cc f0 f0 00 ff 00 01 00 5f 50 00 00 00 00 00`,
  ],
  ["UINT32", "BIT_SHUFFLE", "nothing", 9, [], "09000000 00000000 14000000 00000000 01000000"],
  ["INT64", "BIT_SHUFFLE", "nothing", 9, [], "09000000 00000000 14000000 00000000 08000000"],
];

describe("worked examples of the specification", () => {
  it.each(EXAMPLES)("%s %s: %s", (type, encoding, _, ordinal, cells, text) => {
    const hex = toHex(fromHex(text.replaceAll("|", "")));
    const builder = createBlockBuilder(type, encoding, OPTIONS);
    builder.add(vectorOfCells(type, cells), 0, cells.length);
    expect(toHex(builder.finish(ordinal))).toBe(hex);
    const dictionary = isDictionaryBuilder(builder)
      ? openDictionaryWords(builder.finishDictionary())
      : undefined;
    const block = openBlock(type, encoding, fromHex(hex), { dictionary });
    block.check();
    expect(block.ordinal).toBe(ordinal);
    expect(cellsOf(block.decode(0, block.count))).toEqual(cells);
  });

  it("the restart entry of the 18 keys is at 0x38 and the block takes 72 bytes", () => {
    const builder = createBlockBuilder("STRING", "PREFIX_ENCODING", OPTIONS);
    builder.add(vectorOfCells("STRING", K_KEYS), 0, 18);
    const block = builder.finish(0);
    expect(block.length).toBe(72);
    expect(toHex(block.subarray(0x38, 0x3d))).toBe("00036b3136");
  });

  it.each<[string, string[], string]>([
    ["x, yy (3.7)", text("x", "yy", "x"), "00000000 02000000 0f000000 78 79 79 00 0c 0d 00 00"],
    ["empty", [], "00000000 00000000 0c000000"],
  ])("dictionary: %s", (_, cells, hex) => {
    const builder = createBlockBuilder("STRING", "DICT_ENCODING", OPTIONS);
    builder.add(vectorOfCells("STRING", cells), 0, cells.length);
    builder.finish(0);
    const dictionary = isDictionaryBuilder(builder) ? builder.finishDictionary() : new Uint8Array(1);
    expect(toHex(dictionary)).toBe(toHex(fromHex(hex)));
    expect(cellsOf(openDictionaryWords(dictionary))).toEqual([...new Set(cells)]);
  });
});
