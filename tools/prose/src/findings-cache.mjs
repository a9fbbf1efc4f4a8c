/** Caches the findings of each file until its text or a rule changes. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { root } from "./files.mjs";

/** @typedef {import("./check-file.mjs").Finding} Finding */
/** @typedef {{ rules: string, files: Record<string, { hash: string, findings: Finding[] }> }} Stored */

const STORE = join(root, "node_modules/.cache/cfile-prose/findings.json");
const TOOL = join(root, "tools/prose");

/** @param {...string} texts */
const hashOf = (...texts) => createHash("sha256").update(texts.join("\0")).digest("base64url");

/** @returns {string} a hash of the sources, the lists and the dependencies of this tool */
function hashOfRules() {
  const sources = readdirSync(join(TOOL, "src")).sort();
  const files = [...sources.map((name) => `src/${name}`), "package.json", "phrases.txt", "words.txt"];
  return hashOf(...files.map((file) => readFileSync(join(TOOL, file), "utf8")));
}

export function openFindingsCache() {
  const rules = hashOfRules();
  const stored = readStored();
  const files = stored?.rules === rules ? stored.files : {};
  return {
    /**
     * @param {string} file
     * @param {string} text
     * @param {() => Promise<Finding[]>} check
     * @returns {Promise<Finding[]>}
     */
    async findings(file, text, check) {
      const hash = hashOf(text);
      const known = files[file];
      if (known?.hash === hash) {
        return known.findings;
      }
      const findings = await check();
      files[file] = { hash, findings };
      return findings;
    },
    save() {
      mkdirSync(dirname(STORE), { recursive: true });
      writeFileSync(STORE, JSON.stringify({ rules, files }));
    },
  };
}

/** @returns {Stored | undefined} */
function readStored() {
  try {
    return JSON.parse(readFileSync(STORE, "utf8"));
  } catch {
    return undefined;
  }
}
