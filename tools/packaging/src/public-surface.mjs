/** The names that each entry of the published packages exports. Types are marked. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { publishedPackages } from "./published-packages.mjs";

const LIST = /export\s+(type\s+)?\{([^}]*)\}/g;
const DECLARATION =
  /^export (?:declare )?(?:abstract )?(async function|function|class|const|interface|type) (\w+)/gm;

/** @returns {string} one paragraph per entry: its name, then one export per line */
export function publicSurface() {
  const entries = publishedPackages.flatMap(({ name, folder }) => {
    const { exports } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return Object.entries(exports)
      .filter(([, target]) => typeof target === "object")
      .map(([path, { types }]) => ({ entry: name + path.slice(1), types: join(folder, types) }));
  });
  return entries
    .sort((a, b) => (a.entry < b.entry ? -1 : 1))
    .map(({ entry, types }) => `${[entry, ...exportedNames(types).map((name) => `  ${name}`)].join("\n")}\n`)
    .join("\n");
}

/** @param {string} types the path of a declaration file */
function exportedNames(types) {
  const text = readFileSync(types, "utf8");
  const listed = [...text.matchAll(LIST)].flatMap(([, allTypes, names = ""]) =>
    names
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== "")
      .map((name) => (allTypes === undefined ? name : `type ${name}`)),
  );
  const declared = [...text.matchAll(DECLARATION)].map(([, kind = "", name]) =>
    kind === "interface" || kind === "type" ? `type ${name}` : `${name}`,
  );
  const plain = (/** @type {string} */ name) => name.replace(/^type /, "");
  return [...listed, ...declared].sort((a, b) => (plain(a) < plain(b) ? -1 : 1));
}
