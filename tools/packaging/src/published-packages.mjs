/** The published packages: everything in `packages/` that is not private. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * @typedef {{ name: string, folder: string, entries: string[] }} PublishedPackage
 *   `entries`: what can be imported, such as `@cfile/bytes`
 * @typedef {{ name: string, tarball: string, files: string[] }} PackedPackage
 */

/** Root folder of the repository. */
export const root = fileURLToPath(new URL("../../..", import.meta.url));

/** @type {PublishedPackage[]} */
export const publishedPackages = readdirSync(join(root, "packages")).flatMap((entry) => {
  const folder = join(root, "packages", entry);
  const {
    name,
    exports,
    private: isPrivate,
  } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (isPrivate) {
    return [];
  }
  const entries = Object.entries(exports)
    .filter(([path, target]) => typeof target === "object" && !path.includes("*"))
    .map(([path]) => name + path.slice(1));
  return [{ name, folder, entries }];
});

/**
 * Packs packages into a folder, as `pnpm publish` does.
 * @param {string} destination
 * @param {object} [options]
 * @param {string} [options.folder] another clone of the repository
 * @param {string[]} [options.names] default: all that are published
 * @param {Record<string, string>} [options.env] additional environment variables
 * @returns {PackedPackage[]}
 */
export function pack(
  destination,
  { folder = root, names = publishedPackages.map(({ name }) => name), env = {} } = {},
) {
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  // The package is an option, not an argument: inside another npx, npm_config_package would replace the
  // argument.
  const pnpm = ["--yes", "--loglevel=error", `--package=${packageManager}`, "--", "pnpm"];
  const filters = names.flatMap((name) => ["--filter", name]);
  const args = [...filters, "pack", "--json", "--pack-destination", destination];
  const output = execFileSync("npx", [...pnpm, ...args], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, ...env },
    timeout: 240_000,
    stdio: ["ignore", "pipe", "pipe"],
  });
  /** @type {{ name: string, filename: string, files: { path: string }[] }[]} */
  const packed = [JSON.parse(output)].flat();
  return packed.map(({ name, filename, files }) => ({
    name,
    tarball: filename,
    files: files.map(({ path }) => path),
  }));
}
