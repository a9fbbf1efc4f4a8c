/** The phrases of `phrases.txt`, with advice on what to say instead. */
import { readFileSync } from "node:fs";

/**
 * @typedef {object} Phrase
 * @property {RegExp} pattern
 * @property {string} say
 */

/** @typedef {{ rule: string, offset: number, message: string }} Hit */

const SEPARATOR = " => ";
/** Spaces or a line break within a paragraph. */
const SPACE = "(?:[^\\S\\n]+|[^\\S\\n]*\\n[^\\S\\n]*)";

/**
 * Parses one phrase per line, `PATTERN => ADVICE`. The pattern is a case-insensitive regular expression of
 * whole words; a space in it matches any whitespace within a paragraph. Lines that start with `#` are
 * comments.
 * @param {string} text
 * @returns {Phrase[]}
 */
export function parsePhrases(text) {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "" || line.startsWith("#")) {
      return [];
    }
    const at = line.indexOf(SEPARATOR);
    if (at < 0) {
      throw new Error(`phrases.txt:${i + 1}: expected "PATTERN => ADVICE"`);
    }
    const source = line.slice(0, at).trim().replaceAll(" ", SPACE);
    const start = /^[,;]/.test(source) ? "" : "(?<![\\w-])";
    const pattern = new RegExp(`${start}(?:${source})(?![\\w-])`, "giu");
    return [{ pattern, say: line.slice(at + SEPARATOR.length).trim() }];
  });
}

const phrases = parsePhrases(readFileSync(new URL("../phrases.txt", import.meta.url), "utf8"));

/**
 * @param {string} text
 * @param {readonly Phrase[]} [forbidden]
 * @returns {Hit[]}
 */
export function findPhrases(text, forbidden = phrases) {
  return forbidden.flatMap(({ pattern, say }) =>
    Array.from(text.matchAll(pattern), (match) => ({
      rule: "phrase",
      offset: match.index + match[0].length - match[0].trimStart().length,
      message: `"${match[0].trim().replaceAll(/\s+/g, " ")}": ${say}`,
    })),
  );
}
