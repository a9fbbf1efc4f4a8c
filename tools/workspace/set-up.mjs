/** Prepares the repository for a command: installs if the lockfile changed, and builds. */
import { installWhenNeeded } from "./install.mjs";
import { progress, run, turbo, withPinnedPnpm } from "./pinned-pnpm.mjs";

/**
 * Installs, builds, runs a command, and exits with its code.
 * @param {string} script the calling script's `import.meta.url`
 * @param {string} command
 * @param {string[]} args
 */
export function runBuilt(script, command, args) {
  withPinnedPnpm(script, () => setUp() || run(command, args));
}

/** @returns {number} an exit code */
function setUp() {
  const code = installWhenNeeded();
  if (code !== 0) {
    return code;
  }
  progress("Building …");
  return turbo(["build"], "on failure");
}
