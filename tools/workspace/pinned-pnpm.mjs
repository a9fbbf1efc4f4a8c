/**
 * Runs the pnpm release that `packageManager` names, on a machine that has only Node and npm. A script
 * restarts itself once under `npx --package=pnpm@…`, which puts that pnpm on PATH for the script and its
 * child processes. Turbo needs it there.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Root folder of the repository. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** Set in the restarted script. */
const MARK = "CFILE_PINNED_PNPM";
const windows = process.platform === "win32";

/**
 * Runs `main` with the pinned pnpm on PATH and exits with the code it returns.
 * @param {string} script the calling script's `import.meta.url`
 * @param {() => number} main
 */
export function withPinnedPnpm(script, main) {
  process.chdir(root);
  const { packageManager, engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const needed = engines.node.replace(">=", "");
  if (needed.localeCompare(process.versions.node, "en", { numeric: true }) > 0) {
    progress(`cfile needs Node ${needed} or newer; this is ${process.versions.node}.`);
    process.exit(1);
  }
  if (process.env[MARK] === packageManager) {
    process.exit(main());
  }
  const args = [
    "--yes",
    "--loglevel=error",
    `--package=${packageManager}`,
    "--",
    "node",
    fileURLToPath(script),
  ];
  const env = {
    [MARK]: packageManager,
    DO_NOT_TRACK: "1",
    TURBO_TELEMETRY_DISABLED: "1",
    TURBO_NO_UPDATE_NOTIFIER: "1",
  };
  process.exit(run("npx", [...args, ...process.argv.slice(2)], { env }));
}

/**
 * Prints a line of progress on stderr; stdout is for the requested output.
 * @param {string} text
 */
export function progress(text) {
  process.stderr.write(`${text}\n`);
}

/**
 * Runs a command and returns its exit code.
 * @param {string} command
 * @param {string[]} args
 * @param {{ env?: Record<string, string>, output?: "shown" | "on failure", timeout?: number | undefined }} [options] `env` is added to this
 *   process's environment; `output`: whether the command uses this terminal (default), or prints only when it fails; `timeout` in
 *   milliseconds ends the command
 * @returns {number}
 */
export function run(command, args, { env = {}, output = "shown", timeout } = {}) {
  const shown = output === "shown" ? "inherit" : "pipe";
  const result = spawnSync(command, args, {
    stdio: ["inherit", shown, shown],
    maxBuffer: 256 * 1024 * 1024,
    timeout,
    env: { ...process.env, ...env },
    // On Windows, npm and pnpm are .cmd files, which need a shell.
    shell: windows,
  });
  if (result.error !== undefined) {
    progress(`cannot run ${command}: ${result.error.message}`);
  }
  if (result.status !== 0 && output === "on failure") {
    process.stderr.write(result.stdout ?? "");
    process.stderr.write(result.stderr ?? "");
  }
  return result.status ?? 1;
}

/**
 * Runs turbo tasks, in parallel on all cores. Shows only the output of tasks that fail.
 * @param {string[]} args
 * @param {"shown" | "on failure"} output of turbo itself
 * @param {number} [timeout] in milliseconds
 * @returns {number} the exit code
 */
export function turbo(args, output, timeout) {
  // More tasks than cores, because some wait for disks, browsers and other processes.
  const quiet = ["--concurrency=150%", "--output-logs=errors-only", "--log-order=grouped"];
  return run("pnpm", ["exec", "turbo", "run", ...quiet, ...args], { output, timeout });
}
