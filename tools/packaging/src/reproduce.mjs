/**
 * `pnpm reproduce`: builds the current commit in a fresh clone, packs the packages there and here, and compares the tarballs byte
 * by byte. Exit code 1 if one differs.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { packAll, root } from "./published-packages.mjs";

const folder = await mkdtemp(join(tmpdir(), "cfile-reproduce-"));
const clone = join(folder, "clone");

/**
 * @param {string} command
 * @param {string[]} args
 * @param {string} cwd
 */
const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: "utf8" });

try {
  const changed = run("git", ["status", "--porcelain"], root).trim();
  if (changed !== "") {
    console.error(`Commit these changes first:\n${changed}`);
    process.exit(1);
  }
  run("git", ["clone", "--quiet", root, clone], folder);
  run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--silent"], clone);
  run("pnpm", ["--silent", "run", "build", "--force", "--output-logs=errors-only"], clone);
  const built = packAll(join(folder, "here"), root);
  const builtAgain = packAll(join(folder, "clone-packed"), clone);
  const different = built.filter(({ tarball }, i) => {
    const again = builtAgain[i]?.tarball ?? "";
    return !readFileSync(tarball).equals(readFileSync(again));
  });
  for (const { name } of different) {
    console.log(`${name}: the tarballs differ`);
  }
  console.log(`${built.length - different.length} of ${built.length} tarballs are the same in two builds.`);
  process.exitCode = different.length === 0 ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
