import { describe, expect, it } from "vitest";
import { fileNameOf, findExamples, matchesOutput, parseCodeBlocks } from "../src/code-blocks.js";

const page = [
  "# A page",
  "```sh",
  "npm install a",
  "```",
  "",
  "```js",
  "console.log(1);",
  "```",
  "",
  "```text",
  "1",
  "```",
  "```js",
  "console.log(2);",
  "```",
  "More words.",
  "```text",
  "not its output",
  "```",
].join("\n");

describe("parseCodeBlocks", () => {
  it("returns language, text, line, and whether a block precedes directly", () => {
    expect(parseCodeBlocks(page)).toEqual([
      { language: "sh", text: "npm install a", line: 2, followsBlock: false },
      { language: "js", text: "console.log(1);", line: 6, followsBlock: true },
      { language: "text", text: "1", line: 10, followsBlock: true },
      { language: "js", text: "console.log(2);", line: 13, followsBlock: true },
      { language: "text", text: "not its output", line: 17, followsBlock: false },
    ]);
  });

  it("allows a shorter fence inside a longer one", () => {
    expect(parseCodeBlocks("````md\n```js\n```\n````\n")).toEqual([
      { language: "md", text: "```js\n```", line: 1, followsBlock: false },
    ]);
  });
});

describe("findExamples", () => {
  it("joins an example with the text block directly after it", () => {
    expect(findExamples(page, ["js"])).toEqual([
      { language: "js", code: "console.log(1);", line: 6, output: "1" },
      { language: "js", code: "console.log(2);", line: 13, output: undefined },
    ]);
  });
});

describe("matchesOutput", () => {
  it.each([
    ["a\nb", "a\nb\n", true],
    ["a  \nb", "a\nb", true],
    ["a", "a\nb", false],
    ["a\nb", "a", false],
    ["a\n…\nd", "a\nb\nc\nd\n", true],
    ["a\n…\nd", "a\nd", true],
    ["a\n…\nc\n…\ne", "a\nb\nc\nd\ne", true],
    ["a\n…\nx\n…\ne", "a\nb\nc\nd\ne", false],
    ["a\n…\na", "a", false],
    ["…", "anything", true],
  ])("%j and %j: %s", (shown, actual, expected) => {
    expect(matchesOutput(shown, actual)).toBe(expected);
  });
});

describe("fileNameOf", () => {
  it("is the name in the comment on the first line", () => {
    expect(fileNameOf({ code: "// sum.mjs\nexport const a = 1;" })).toBe("sum.mjs");
    expect(fileNameOf({ code: "// Adds.\nsum.mjs" })).toBeUndefined();
    expect(fileNameOf({ code: "// ../sum.mjs\n" })).toBeUndefined();
  });
});
