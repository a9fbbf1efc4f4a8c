import { expect, test } from "vitest";
import { checkFile, checkReadability } from "../src/check-file.mjs";
import { makeExceptions } from "../src/exceptions.mjs";
import { readability } from "../src/readability.mjs";

const rulesOf = async (file: string, kind: "page" | "source" | "help", text: string) =>
  (await checkFile(file, kind, text)).map(({ line, rule }) => `${line} ${rule}`);

test("ignores code and addresses in pages", async () => {
  const page =
    "# Title\n\nA `recieve` at https://recieve.example/x, and [is](is-none.md) `none`.\n\n```\nis none\n```\n";
  expect(await rulesOf("a.md", "page", page)).toEqual([]);
});

test("reports phrases, spelling, terms and long sentences of a page, with their lines", async () => {
  const long = `${"One more word and ".repeat(14)}the end.`;
  const page = `Here\nis none.\n\nWe recieve and honour it.\n\nWith javascript.\n\n${long}\n`;
  expect(await rulesOf("a.md", "page", page)).toEqual([
    "2 phrase",
    "4 spelling",
    "4 spelling",
    "6 terminology",
    "8 sentence-length",
  ]);
});

test("checks the comments and messages of a source", async () => {
  const source =
    '// There is none.\nexport const x = 1;\n\nfail("this file is none");\n/** We recieve it. */\n';
  expect(await rulesOf("src/a.ts", "source", source)).toEqual(["1 phrase", "4 phrase", "5 spelling"]);
});

test("checks help as plain text", async () => {
  expect(await rulesOf("help.txt", "help", "cfile --help\n  --limit N  the file is none\n")).toEqual([
    "2 phrase",
  ]);
});

test("readability counts sentences and words outside tables, headings and code", () => {
  const page =
    "# Some title\n\nThe cat sat. It `purred_loudly` here.\n\n| a | b |\n| - | - |\n| c | d |\n\n- A dog ran.\n";
  const { sentences, words } = readability(page);
  expect({ sentences, words }).toEqual({ sentences: 3, words: 9 });
});

test("reports pages that are hard to read", () => {
  const hard = `${"Considerable organizational responsibilities necessitate comprehensive documentation ".repeat(4)}.`;
  expect(checkReadability(hard).findings.map(({ message }) => message.replace(/-?[\d.]+/, "N"))).toEqual([
    "reading ease N (must be at least 50)",
    "mean sentence of N words (must be at most 18)",
  ]);
});

test("exceptions cover findings of their file, rule and text, and record which were used", () => {
  const used = { file: "packages/a/", rule: "phrase", text: "stands", reason: "a quotation" };
  const stale = { file: "b.md", rule: "phrase", reason: "a quotation" };
  const exceptions = makeExceptions([used, stale]);
  const finding = { line: 1, rule: "phrase", message: '"stands": say "is"' };
  expect(exceptions.covers("packages/a/src/x.ts", finding)).toBe(true);
  expect(exceptions.covers("packages/b/src/x.ts", finding)).toBe(false);
  expect(exceptions.covers("packages/a/src/x.ts", { ...finding, rule: "spelling" })).toBe(false);
  expect([...exceptions.unused]).toEqual([stale]);
});
