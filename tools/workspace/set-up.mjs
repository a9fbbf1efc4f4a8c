/** Prepares the repository for any command: installs if the lockfile changed, and builds. */
import { installWhenNeeded } from "./install.mjs";
import { progress, turbo } from "./pinned-pnpm.mjs";

/** @returns {number} an exit code */
export function setUp() {
  const code = installWhenNeeded();
  if (code !== 0) {
    return code;
  }
  progress("Building …");
  return turbo(["build"], "on failure");
}
