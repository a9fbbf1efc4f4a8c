/** The live examples on the pages: the kind of bytes, the bytes, and the text next to them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { docsFolder } from "./folders.mjs";
import { sourcePages } from "./source-pages.mjs";

/**
 * @typedef {object} LiveExample
 * @property {string} page
 * @property {string} kind
 * @property {string} hex
 * @property {Record<string, string | number | boolean>} args
 */

/** @returns {LiveExample[]} */
export function liveExamples() {
  return sourcePages().flatMap((page) => {
    const text = readFileSync(join(docsFolder, page), "utf8");
    return Array.from(text.matchAll(/<LiveBytes ([\s\S]*?)\/>/g), ([, attributes = ""]) => ({
      page,
      kind: attribute(attributes, "kind") ?? "",
      hex: attribute(attributes, "hex") ?? "",
      args: JSON.parse(/:args='([^']*)'/.exec(attributes)?.[1] ?? "{}"),
    }));
  });
}

/**
 * @param {string} attributes
 * @param {string} name
 */
function attribute(attributes, name) {
  return new RegExp(`(?:^|\\s)${name}="([^"]*)"`).exec(attributes)?.[1];
}
