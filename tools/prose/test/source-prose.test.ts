import { expect, test } from "vitest";
import { proseOfSource } from "../src/source-prose.mjs";

const linesOf = (text: string) =>
  proseOfSource("a.ts", text)
    .comments.split("\n")
    .map((line) => line.trim());

test("comments keep their lines", () => {
  expect(linesOf("/**\n * Reads a file.\n *\n * Twice.\n */\nread(); // and again\n// Last.")).toEqual([
    "",
    "Reads a file.",
    "",
    "Twice.",
    "",
    "and again.",
    "Last.",
  ]);
});

test("reads comments inside calls and at the end of blocks", () => {
  expect(linesOf("f(\n  // One.\n  1,\n);\nif (x) {\n  // Two.\n}")).toEqual([
    "",
    "One.",
    "",
    "",
    "",
    "Two.",
    "",
  ]);
});

test("reads tags as list items, and skips examples and names", () => {
  const lines = linesOf(
    "/**\n * Opens {@link File}.\n * @param {string} path where\n *   it is\n * @throws {Error} when missing\n * @example\n * is none\n */",
  );
  expect(lines).toEqual(["", "Opens `File`.", "- where", "it is", "- when missing", "", "", ""]);
});

test("strings of three words are messages, with a mark per substitution", () => {
  const { messages } = proseOfSource(
    "src/a.ts",
    `import "a b c d";\nfail("no such file");\nfail(\`page \${n} of column\`);\nget("some key");`,
  );
  expect(messages).toEqual([
    { line: 2, text: "no such file" },
    { line: 3, text: "page ‹…› of column" },
  ]);
});

test("reads only the titles in tests", () => {
  const { messages } = proseOfSource(
    "test/a.test.ts",
    'test.each([["one two three"]])("reads a whole file", () => { f("one two three"); });',
  );
  expect(messages).toEqual([{ line: 1, text: "reads a whole file" }]);
});

test("reads the comments of a Vue script and the text of its template", () => {
  const { comments, messages } = proseOfSource(
    "a.vue",
    "<script setup>\n// A comment.\n</script>\n<template>\n  <p :a='b'>Read all of it</p>\n</template>",
  );
  expect(comments.split("\n").map((line) => line.trim())).toEqual(["", "A comment.", "", "", "", ""]);
  expect(messages).toEqual([{ line: 5, text: "Read all of it" }]);
});
