/**
 * Finds Chromium: the file that `CFILE_CHROMIUM` names, a common command on PATH, or the package that
 * `apt-get` installs. `CFILE_CHROMIUM=none` means that Chromium is not available.
 */
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const COMMANDS = ["chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
const INSTALL_MILLISECONDS = 240_000;

export type FoundChromium =
  | { readonly path: string; readonly missing?: undefined }
  | {
      readonly path?: undefined;
      /** Why Chromium is not available, as a sentence. */
      readonly missing: string;
    };

/** Finds an installed Chromium. */
export function findChromium(environment: NodeJS.ProcessEnv = process.env): FoundChromium {
  const { CFILE_CHROMIUM: named, PATH: path = "" } = environment;
  if (named === "none") {
    return { missing: "CFILE_CHROMIUM is set to none." };
  }
  if (named) {
    return isExecutable(named)
      ? { path: named }
      : { missing: `CFILE_CHROMIUM names ${named}, which is not an executable file.` };
  }
  for (const folder of [...path.split(delimiter), "/usr/bin"].filter((part) => part !== "")) {
    for (const command of COMMANDS) {
      if (isExecutable(join(folder, command))) {
        return { path: join(folder, command) };
      }
    }
  }
  return { missing: `No ${COMMANDS.join(", ")} on PATH. Set CFILE_CHROMIUM to the path of Chromium.` };
}

/** Finds an installed Chromium, or installs it with `apt-get` when running as root. */
export function ensureChromium(environment: NodeJS.ProcessEnv = process.env): FoundChromium {
  const found = findChromium(environment);
  if (found.path !== undefined || environment["CFILE_CHROMIUM"]) {
    return found;
  }
  if (process.getuid?.() !== 0 || spawnSync("apt-get", ["--version"]).status !== 0) {
    return { missing: `${found.missing} Only root can install it, with apt-get.` };
  }
  const deadline = Date.now() + INSTALL_MILLISECONDS;
  for (const command of [["update"], ["install", "-y", "--no-install-recommends", "chromium"]]) {
    // Another process may be installing it at the same time.
    const { status, stderr, error } = spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=120", ...command], {
      encoding: "utf8",
      env: { ...environment, DEBIAN_FRONTEND: "noninteractive" },
      timeout: Math.max(1, deadline - Date.now()),
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0 && command[0] === "install") {
      const reason = error?.message ?? stderr.trim().split("\n").at(-1) ?? "";
      return { missing: `${found.missing} apt-get ${command.join(" ")} failed: ${reason}` };
    }
  }
  return findChromium(environment);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
