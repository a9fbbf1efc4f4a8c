import { expect, test } from "vitest";
import { findPhrases, parsePhrases } from "../src/phrases.mjs";

test.each([
  ["the key is\nnone of them", ["is none"]],
  ["there is none", ["is none"]],
  ["`x` is no number above 0", ["is no"]],
  ["there is no number", []],
  ["there\nis no number", []],
  ["it is no longer needed", []],
  ["the file is another than before", ["is another", "another than"]],
  ["Node, too, or a browser", [", too,"]],
  ["two blocks, of which one is empty", ["of which"]],
  ["30.44 bytes a row", ["bytes a row"]],
  ["count the values\n\na page", []],
  ["the sounding-board and --salvage", []],
])("finds the phrases of %j", (text, expected) => {
  expect(findPhrases(text).map(({ message }) => message.split('"')[1])).toEqual(expected);
});

test("a hit starts at the offset of its first word", () => {
  expect(findPhrases("a page\nis none", parsePhrases("is none => say what is wrong"))).toEqual([
    { rule: "phrase", offset: 7, message: '"is none": say what is wrong' },
  ]);
});

test("a line without advice throws", () => {
  expect(() => parsePhrases("# comment\nis none")).toThrow("phrases.txt:2");
});
