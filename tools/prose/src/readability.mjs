/**
 * Measures how easy a page reads, by the mean length of its sentences and Flesch reading ease. Counts
 * paragraphs and list items, but not headings, tables or code blocks. Inline code counts as one word of two
 * syllables.
 */
import { flesch } from "flesch";
import { split } from "sentence-splitter";
import { syllable } from "syllable";
import { parsePage, textNodes } from "./plain-text.mjs";

/** @typedef {import("./plain-text.mjs").Node} Node */
/** @typedef {{ sentences: number, words: number, meanWords: number, ease: number }} Readability */

export const MAX_MEAN_WORDS = 18;
export const MIN_EASE = 50;

const WORD = /[\p{L}\d][\p{L}\d'’.,-]*/gu;
const CODE = "value";
const NOT_READ = new Set(["Table", "Header", "CodeBlock", "Html", "HtmlBlock", "Yaml"]);

/**
 * @param {string} markdown
 * @returns {Readability}
 */
export function readability(markdown) {
  let sentences = 0;
  let words = 0;
  let syllables = 0;
  for (const paragraph of paragraphs(parsePage(markdown))) {
    const text = Array.from(textNodes(paragraph), ({ type, value }) => (type === "Code" ? CODE : value)).join(
      "",
    );
    for (const { type, raw } of split(text.replace(/^:::.*$/gm, ""))) {
      const found = type === "Sentence" ? (raw.match(WORD) ?? []) : [];
      if (found.length > 0) {
        sentences++;
        words += found.length;
        syllables += found.reduce((sum, word) => sum + Math.max(1, syllable(word)), 0);
      }
    }
  }
  const ease = flesch({ sentence: sentences, word: words, syllable: syllables });
  return { sentences, words, meanWords: words / sentences, ease };
}

/**
 * @param {Node} node
 * @returns {Generator<Node>}
 */
function* paragraphs(node) {
  if (node.type === "Paragraph") {
    yield node;
  } else if (!NOT_READ.has(node.type)) {
    for (const child of node.children ?? []) {
      yield* paragraphs(child);
    }
  }
}
