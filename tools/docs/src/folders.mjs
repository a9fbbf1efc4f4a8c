/** Locations, packages, and the names by which programs import them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const docsFolder = join(root, "docs");

/**
 * @typedef {object} Package
 * @property {string} folder its name in `packages/`, also used for its pages
 * @property {string} name the name to install
 * @property {string} description
 * @property {boolean} isLibrary whether programs import it
 * @property {readonly Entry[]} entries what programs import, the package's own name first
 */

/**
 * @typedef {object} Entry
 * @property {string} name the name to import
 * @property {string} page its page in the API reference, without folder and file extension
 * @property {string} source path of the module from the root of the repository
 */

/**
 * The published packages, `cfile` first.
 * @returns {Package[]}
 */
export function packages() {
  return readdirSync(join(root, "packages"))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
      return { folder, manifest };
    })
    .filter(({ manifest }) => !manifest.private)
    .map(({ folder, manifest }) => {
      const isLibrary = existsSync(join(root, "packages", folder, "src", "index.ts"));
      const entries = isLibrary ? entriesOf(folder, manifest) : [];
      return { folder, name: manifest.name, description: manifest.description, isLibrary, entries };
    })
    .sort(
      (a, b) => Number(b.folder === "cfile") - Number(a.folder === "cfile") || (a.folder < b.folder ? -1 : 1),
    );
}

/**
 * @param {string} folder
 * @param {{ name: string, exports: Record<string, string | { default: string }> }} manifest
 * @returns {Entry[]}
 */
function entriesOf(folder, manifest) {
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === "string" || path.includes("*")) {
      return [];
    }
    const source = target.default.replace(/^\.\/dist\/(.*)\.js$/, `packages/${folder}/src/$1.ts`);
    const name = path.replace(/^\./, manifest.name);
    return [{ name, page: path.replace(/^\./, folder).replaceAll("/", "-"), source }];
  });
}
