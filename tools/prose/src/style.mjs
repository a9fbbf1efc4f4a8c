/** The textlint rules: length of sentences, and the spelling of products and terms. */
import { createRequire } from "node:module";
import { TextlintKernel } from "@textlint/kernel";
import terminology, { getTerms } from "textlint-rule-terminology";

/** @typedef {import("./phrases.mjs").Hit} Hit */

const require = createRequire(import.meta.url);

// CommonJS compiled from modules: their default export is a property. Node and vitest import such modules differently.
/** @type {typeof import("@textlint/textlint-plugin-markdown")} */
const { default: markdown } = require("@textlint/textlint-plugin-markdown");
/** @type {{ default: import("@textlint/kernel").TextlintKernelRule["rule"] }} */
const { default: sentenceLength } = require("textlint-rule-sentence-length");

/** The longest sentence, in characters: about 40 words. */
const MAX_SENTENCE = 220;

/**
 * Terms that we spell differently: two plurals, Hadoop's YARN, names of commands, "at run time", "file name".
 */
const SPELLED_OTHERWISE = [
  "indexes\\b",
  "readme(s)?",
  "lock[- ]file(s)?",
  "run[- ]time",
  "file[- ]name(s)?",
  "user[- ]name(s)?",
  "Yarn",
  "Bash",
  "zsh",
  "Git",
  "HTML",
  "OK",
];

// Passed explicitly, because the rule would otherwise reread its list for each text.
const TERMS = { defaultTerms: false, terms: getTerms(true, [], SPELLED_OTHERWISE) };

const kernel = new TextlintKernel({ quiet: true });

/**
 * @param {string} text Markdown
 * @returns {Promise<Hit[]>}
 */
export async function findStyle(text) {
  const { messages } = await kernel.lintText(text, {
    ext: ".md",
    plugins: [{ pluginId: "markdown", plugin: markdown, options: true }],
    rules: [
      {
        ruleId: "sentence-length",
        rule: sentenceLength,
        options: { max: MAX_SENTENCE, skipUrlStringLink: true, skipPatterns: ["/`[^`]*`/"] },
      },
      { ruleId: "terminology", rule: terminology, options: TERMS },
    ],
  });
  return messages.map(({ ruleId, range, message }) => ({
    rule: ruleId,
    offset: range[0],
    message: message
      .replace(/^Line \d+ /, "")
      .replaceAll(/\s+/g, " ")
      .trim(),
  }));
}
