/** Where things are, and what packages there are. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../..", import.meta.url));
export const docsFolder = join(root, "docs");

/**
 * @typedef {object} Package
 * @property {string} folder its name below `packages/`, which its pages have, too
 * @property {string} name as it is installed
 * @property {string} description
 * @property {boolean} isLibrary whether programs import it
 */

/**
 * What is published, `cfile` first.
 * @returns {Package[]}
 */
export function packages() {
  return readdirSync(join(root, "packages"))
    .filter((folder) => existsSync(join(root, "packages", folder, "README.md")))
    .map((folder) => {
      const manifest = JSON.parse(readFileSync(join(root, "packages", folder, "package.json"), "utf8"));
      const isLibrary = existsSync(join(root, "packages", folder, "src", "index.ts"));
      return { folder, name: manifest.name, description: manifest.description, isLibrary };
    })
    .sort(
      (a, b) => Number(b.folder === "cfile") - Number(a.folder === "cfile") || (a.folder < b.folder ? -1 : 1),
    );
}
