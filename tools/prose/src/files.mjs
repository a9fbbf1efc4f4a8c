/** The files that contain prose. */
import { execFileSync } from "node:child_process";
import { relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("../../../", import.meta.url));

const PAGE = /\.md$/;
const SOURCE = /\.(?:ts|tsx|mts|mjs|cjs|vue|java)$/;
const HELP = /^packages\/cli\/test\/help\.txt$/;

/** Generated, recorded, or written elsewhere. */
const NOT_OURS =
  /^docs\/(?:api|spec|packages)\/|^docs\/cli\.md$|\/src\/generated\/|^tools\/(?:interop|bench)\/results\/|\/artifacts\//;

/** Pages whose reading ease is limited. */
const GUIDE =
  /^(?:README\.md|docs\/(?:guide|recipes|concepts)\/.*\.md|docs\/(?:kudu-directories|row-sets|table-stores|network|spark|arrow-parquet-duckdb)\.md)$/;

/** @typedef {"page" | "source" | "help"} Kind */

/**
 * The files to check, relative to the root.
 * @param {readonly string[]} paths files and folders, as given on the command line; all files without any
 * @returns {{ file: string, kind: Kind }[]}
 */
export function filesToCheck(paths) {
  const selected = paths.map((path) => relative(root, resolve(path)).split(sep).join("/"));
  const outside = selected.findIndex((path) => path.startsWith("../"));
  if (outside >= 0) {
    throw new Error(`${paths[outside]}: outside the repository`);
  }
  const options = ["-z", "--cached", "--others", "--exclude-standard"];
  const args = ["ls-files", ...options, "--", ...selected.map((path) => path || ".")];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 26 });
  return listed.split("\0").flatMap((file) => {
    const kind = kindOf(file);
    return kind === undefined ? [] : [{ file, kind }];
  });
}

/**
 * @param {string} file
 * @returns {Kind | undefined}
 */
function kindOf(file) {
  if (NOT_OURS.test(file)) {
    return undefined;
  }
  return PAGE.test(file) ? "page" : SOURCE.test(file) ? "source" : HELP.test(file) ? "help" : undefined;
}

/** @param {string} file */
export const isGuide = (file) => GUIDE.test(file);
