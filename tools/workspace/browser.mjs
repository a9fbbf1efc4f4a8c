/** Finds Chromium for browser tests. */
import { spawnSync } from "node:child_process";
import { progress } from "./pinned-pnpm.mjs";

/**
 * Finds Chromium, or installs it if possible, and puts its path in `CFILE_CHROMIUM` for the tests. The value
 * is `none` if Chromium is not available, so that tests do not search for it again.
 * @returns {string} why Chromium is not available; empty if it is
 */
export function provideChromium() {
  progress("\nLooking for Chromium …");
  const { stdout, stderr } = spawnSync(process.execPath, ["tools/browser/dist/main.js"], {
    encoding: "utf8",
  });
  const path = stdout.trim();
  process.env["CFILE_CHROMIUM"] = path === "" ? "none" : path;
  if (path !== "") {
    return "";
  }
  const reason = stderr.trim() || "Tests in a browser are skipped.";
  progress(reason);
  return reason;
}
