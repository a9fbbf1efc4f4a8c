/** Chromium for the tests that run in it. */
import { spawnSync } from "node:child_process";
import { progress } from "./pinned-pnpm.mjs";

/**
 * Finds Chromium, or installs it where that is possible, and leaves its path in `CFILE_CHROMIUM` for the tests; `none` where
 * there is none, so that no test looks for it again.
 * @returns {string} why there is none; empty where there is one
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
