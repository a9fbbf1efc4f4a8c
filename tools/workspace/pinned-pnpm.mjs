/**
 * The pnpm release named by `packageManager`, on a machine that has nothing but Node and npm: a script restarts itself
 * once under `npx --package=pnpm@…`, which puts that pnpm on PATH for it and for everything it starts (turbo needs it).
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The folder of the whole repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Set for the restarted script. */
const MARK = "CFILE_PINNED_PNPM";
const windows = process.platform === "win32";

/**
 * Runs `main` where the pinned pnpm is on PATH and ends the process with the exit code it gives.
 * @param {string} script the calling script's `import.meta.url`
 * @param {() => number} main
 */
export function withPinnedPnpm(script, main) {
  process.chdir(root);
  const { packageManager, engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const needed = engines.node.replace(">=", "");
  if (needed.localeCompare(process.versions.node, "en", { numeric: true }) > 0) {
    console.error(`cfile needs Node ${needed} or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (process.env[MARK] === packageManager) {
    process.exit(main());
  }
  process.exit(
    run(
      "npx",
      [
        "--yes",
        "--loglevel=error",
        `--package=${packageManager}`,
        "--",
        "node",
        fileURLToPath(script),
        ...process.argv.slice(2),
      ],
      {
        [MARK]: packageManager,
        DO_NOT_TRACK: "1",
        TURBO_TELEMETRY_DISABLED: "1",
        TURBO_NO_UPDATE_NOTIFIER: "1",
      },
    ),
  );
}

/**
 * A line for the person who waits. It goes to standard error, as all output of the set-up does: standard output belongs
 * to what was asked for.
 * @param {string} text
 */
export function progress(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a command with this process's terminal and gives its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {Record<string, string>} [env] added to this process's environment
 * @param {"inherit" | 2} [stdout] 2 sends its standard output to standard error
 * @returns {number}
 */
export function run(command, args, env = {}, stdout = "inherit") {
  const result = spawnSync(command, args, {
    stdio: ["inherit", stdout, "inherit"],
    env: { ...process.env, ...env },
    // npm's and pnpm's commands are .cmd files there, which only a shell starts.
    shell: windows,
  });
  if (result.error !== undefined) {
    console.error(`${command} could not be started: ${result.error.message}`);
  }
  return result.status ?? 1;
}

/**
 * Runs turbo tasks, as many at once as there are cores, and shows the output of those that fail.
 * @param {string[]} args
 * @returns {number} the exit code
 */
export function turbo(args) {
  const quiet = ["--concurrency=100%", "--output-logs=errors-only", "--log-order=grouped"];
  return run("pnpm", ["exec", "turbo", "run", ...quiet, ...args], {}, 2);
}
