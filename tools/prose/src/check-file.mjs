/** Finds all problems in one file. */
import { findPhrases } from "./phrases.mjs";
import { plainText } from "./plain-text.mjs";
import { MAX_MEAN_WORDS, MIN_EASE, readability } from "./readability.mjs";
import { proseOfSource } from "./source-prose.mjs";
import { findMisspellings } from "./spelling.mjs";
import { findStyle } from "./style.mjs";

/** @typedef {import("./phrases.mjs").Hit} Hit */
/** @typedef {{ line: number, rule: string, message: string }} Finding */

/**
 * @param {string} file
 * @param {import("./files.mjs").Kind} kind
 * @param {string} text
 * @returns {Promise<Finding[]>} in the order of their lines
 */
export async function checkFile(file, kind, text) {
  const findings = [];
  if (kind === "page") {
    findings.push(...(await checkMarkdown(text)));
  } else if (kind === "help") {
    findings.push(...atLines(text, [...findPhrases(text), ...(await findMisspellings(text))]));
  } else {
    const { comments, messages } = proseOfSource(file, text);
    findings.push(...(await checkMarkdown(comments)));
    // All messages are checked in one call, because each call of cspell has a high fixed cost.
    const joined = messages.map((message) => message.text.replaceAll("\n", " ")).join("\n\n");
    for (const { line, ...hit } of atLines(joined, [
      ...findPhrases(joined),
      ...(await findMisspellings(joined)),
    ])) {
      findings.push({ ...hit, line: messages[(line - 1) / 2]?.line ?? 1 });
    }
  }
  return findings.sort((a, b) => a.line - b.line || a.rule.localeCompare(b.rule));
}

/**
 * @param {string} markdown
 * @returns {Promise<Finding[]>}
 */
async function checkMarkdown(markdown) {
  if (markdown.trim() === "") {
    return [];
  }
  const plain = plainText(markdown);
  const [spelling, style] = await Promise.all([findMisspellings(plain), findStyle(markdown)]);
  return atLines(markdown, [...findPhrases(plain), ...spelling, ...style]);
}

/**
 * @param {string} text
 * @param {readonly Hit[]} hits
 * @returns {Finding[]}
 */
function atLines(text, hits) {
  return hits.map(({ offset, rule, message }) => ({
    line: text.slice(0, offset).split("\n").length,
    rule,
    message,
  }));
}

/**
 * @param {string} text
 * @returns {{ findings: Finding[], report: string }}
 */
export function checkReadability(text) {
  const { ease, meanWords, sentences } = readability(text);
  const messages = [
    ease < MIN_EASE && `reading ease ${ease.toFixed(1)} (must be at least ${MIN_EASE})`,
    meanWords > MAX_MEAN_WORDS &&
      `mean sentence of ${meanWords.toFixed(1)} words (must be at most ${MAX_MEAN_WORDS})`,
  ];
  const findings = messages
    .filter((message) => message !== false)
    .map((message) => ({ line: 1, rule: "readability", message }));
  const report = `ease ${ease.toFixed(1).padStart(5)}  words per sentence ${meanWords.toFixed(1).padStart(4)}  sentences ${String(sentences).padStart(3)}`;
  return { findings, report };
}
