/** Third-party packages that the published packages install: direct and transitive dependencies. */
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { publishedPackages } from "./published-packages.mjs";

/**
 * @typedef {{ name: string, license: string, scripts: string[] }} Dependency
 *   `scripts`: scripts that would run on installation
 */

/** Scripts that package managers run when they install a package. */
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall"];

/** @returns {Dependency[]} ordered by name */
export function installedDependencies() {
  /** @type {Map<string, Dependency>} */
  const found = new Map();
  const own = new Set(publishedPackages.map(({ name }) => name));
  for (const { folder } of publishedPackages) {
    for (const dependency of dependenciesOf(folder)) {
      if (!own.has(dependency)) {
        collect(dependency, folder, found);
      }
    }
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * @param {string} name
 * @param {string} from the folder that depends on it
 * @param {Map<string, Dependency>} found
 */
function collect(name, from, found) {
  if (found.has(name)) {
    return;
  }
  const folder = installedFolder(name, from);
  const manifest = manifestOf(folder);
  const scripts = INSTALL_SCRIPTS.filter((script) => manifest.scripts?.[script]);
  if (existsSync(join(folder, "binding.gyp"))) {
    scripts.push("binding.gyp");
  }
  found.set(name, { name, license: manifest.license ?? "unknown", scripts });
  for (const dependency of dependenciesOf(folder)) {
    collect(dependency, folder, found);
  }
}

/** @param {string} folder of a package */
function dependenciesOf(folder) {
  const { dependencies, optionalDependencies } = manifestOf(folder);
  return Object.keys({ ...dependencies, ...optionalDependencies });
}

/**
 * @param {string} folder
 * @returns {{ license?: string, scripts?: Record<string, string>, dependencies?: Record<string, string>, optionalDependencies?: Record<string, string> }}
 */
function manifestOf(folder) {
  return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
}

/**
 * The folder in which Node finds a package.
 * @param {string} name
 * @param {string} from
 * @returns {string}
 */
function installedFolder(name, from) {
  for (let folder = realpathSync(from); ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(candidate)) {
      return realpathSync(candidate);
    }
    if (folder === dirname(folder)) {
      throw new Error(`${name}, on which ${from} depends, is not installed`);
    }
  }
}
