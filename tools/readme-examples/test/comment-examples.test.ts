import { describe, expect, it } from "vitest";
import { findExamples } from "../src/code-blocks.js";
import { examplesOfComments } from "../src/comment-examples.js";

const source = [
  "/**",
  " * Doubles.",
  " *",
  " * @param value a number",
  " * @example",
  " * ```js",
  " * console.log(2 * 2);",
  " * ```",
  " *",
  " * ```text",
  " * 4",
  " * ```",
  " * @throws never",
  " */",
  "export const twice = (value: number) => 2 * value;",
  "/** @example none */",
].join("\n");

describe("examplesOfComments", () => {
  it("returns code and output of an example, with its line numbers", () => {
    expect(findExamples(examplesOfComments(source), ["js"])).toEqual([
      { language: "js", code: "console.log(2 * 2);", line: 6, output: "4" },
    ]);
  });

  it("ignores other comments", () => {
    expect(findExamples(examplesOfComments("/** A text. */\nconst a = 1;"), ["js"])).toEqual([]);
  });
});
