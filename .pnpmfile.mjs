/**
 * Names the repository in each package.json that is packed: npm accepts a provenance statement only for a package that names the
 * repository it was built from. The address is the one this clone was made from, so that a fork names itself.
 */
import { execFileSync } from "node:child_process";
import { relative } from "node:path";

const root = import.meta.dirname;

/** The address without user and password, which CI servers put there. Undefined for a clone of a folder or over SSH. */
function originAddress() {
  try {
    const origin = execFileSync("git", ["config", "remote.origin.url"], { cwd: root, encoding: "utf8" });
    const { protocol, host, pathname } = new URL(origin.trim());
    return protocol === "https:" ? `git+https://${host}${pathname}` : undefined;
  } catch {
    return undefined;
  }
}

export const hooks = {
  /**
   * @param {Record<string, unknown>} manifest
   * @param {string} folder
   */
  beforePacking(manifest, folder) {
    const url = originAddress();
    const directory = relative(root, folder);
    return url === undefined ? manifest : { ...manifest, repository: { type: "git", url, directory } };
  },
};
