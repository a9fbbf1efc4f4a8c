/** Spelling in American English by cspell, with the project's own words in `words.txt`. */
import { readFileSync } from "node:fs";
import { spellCheckDocument } from "cspell-lib";

/** @typedef {import("./phrases.mjs").Hit} Hit */

const listed = readFileSync(new URL("../words.txt", import.meta.url), "utf8")
  .split("\n")
  .map((line) => line.trim())
  .filter((line) => line !== "" && !line.startsWith("#"));

/** @type {import("cspell-lib").CSpellUserSettings} */
const SETTINGS = {
  version: "0.2",
  language: "en-US",
  words: listed.filter((word) => !word.startsWith("!")),
  dictionaries: ["en_us", "softwareTerms", "typescript", "node", "npm", "html", "companies", "sql"],
  flagWords: listed.filter((word) => word.startsWith("!")).map((word) => word.slice(1)),
  allowCompoundWords: false,
  minWordLength: 4,
  // Hexadecimal numbers, hashes, units after numbers.
  ignoreRegExpList: ["/\\b0x[\\da-f]+\\b/gi", "/\\b[\\da-f]{8,}\\b/gi", "/\\b\\d+\\w+\\b/g"],
};

/**
 * @param {string} text
 * @returns {Promise<Hit[]>}
 */
export async function findMisspellings(text) {
  const document = { uri: "prose:///page.txt", text, languageId: "plaintext", locale: "en-US" };
  const options = { generateSuggestions: false, noConfigSearch: true };
  const { issues, errors } = await spellCheckDocument(document, options, SETTINGS);
  if (errors !== undefined && errors.length > 0) {
    throw new Error("cspell failed", { cause: errors[0] });
  }
  return issues.map(({ text, offset }) => ({ rule: "spelling", offset, message: `unknown word "${text}"` }));
}
