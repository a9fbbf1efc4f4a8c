/**
 * `pnpm reproduce`: builds and packs the current commit in two fresh clones, and compares the tarballs byte by byte. The exit code is 1
 * if one differs.
 */
import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pack, root } from "./published-packages.mjs";

const folder = await mkdtemp(join(tmpdir(), "cfile-reproduce-"));

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
  const [built = [], builtAgain = []] = ["first", "second"].map((name) => {
    const clone = join(folder, name);
    run("git", ["clone", "--quiet", root, clone], folder);
    run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--silent"], clone);
    run("pnpm", ["--silent", "run", "build", "--force", "--output-logs=errors-only"], clone);
    return pack(join(folder, `${name} packed`), { folder: clone });
  });
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
