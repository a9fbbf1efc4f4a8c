/** What has to be done before anything of this repository runs: install when the lockfile changed, and build. */
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
