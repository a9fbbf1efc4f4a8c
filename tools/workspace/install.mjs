/** Installs dependencies if they are missing or the lockfile has changed. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { progress, run } from "./pinned-pnpm.mjs";

/** File with the hash of the files used by the last install. */
const STAMP = "node_modules/.cfile-installed";

/** @returns {number} the exit code of the install, 0 when none was needed */
export function installWhenNeeded() {
  const hash = createHash("sha256");
  for (const file of ["pnpm-lock.yaml", "pnpm-workspace.yaml", "package.json"]) {
    hash.update(readFileSync(file));
  }
  const stamp = hash.digest("hex");
  if (existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp) {
    return 0;
  }
  progress("Installing dependencies …");
  const code = run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline", "--reporter=silent"], {
    env: { CI: "true" },
  });
  if (code === 0) {
    writeFileSync(STAMP, stamp);
  }
  return code;
}
