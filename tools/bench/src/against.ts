/**
 * `npm run bench -- --against REF [--only NAME…] [--rounds N] [--scale S]`: builds another commit in a
 * temporary folder and runs both builds alternately, each case in its own process. Prints new ÷ old for every
 * row, and exits with 1 if a row of cfile fell by more than 5 %.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Table from "cli-table3";
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import { benchCases } from "./cases/index.js";
import { type BenchRound, compareCase, comparisonCells } from "./compare-builds.js";
import type { BenchReport } from "./report.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
/** The smallest case: running it installs and builds the other commit. */
const TRIAL = ["--only", "seek", "--scale", "0.001", "--json"];

const args = await yargs(hideBin(process.argv))
  .scriptName("npm run bench --")
  .option("against", { type: "string", demandOption: true, describe: "Commit to compare with" })
  .option("only", {
    type: "string",
    array: true,
    choices: benchCases.map(({ name }) => name),
    describe: "Run only these",
  })
  .option("rounds", {
    type: "number",
    default: 3,
    describe: "Number of rounds; both builds run once in each",
  })
  .option("scale", { type: "number", default: 1, describe: "Fraction of the full size" })
  .strict()
  .parse();

/** Checks `ref` out beside this repository and builds it with its own tools; a second call reuses it. */
function buildCommit(ref: string): string {
  const commit = execFileSync("git", ["rev-parse", "--short=12", `${ref}^{commit}`], {
    cwd: root,
    encoding: "utf8",
  }).trim();
  const folder = join(tmpdir(), `cfile-bench-${commit}`);
  if (!existsSync(folder)) {
    execFileSync("git", ["worktree", "add", "--force", "--detach", folder, commit], { cwd: root });
  }
  const { CFILE_PINNED_PNPM: _, ...env } = process.env;
  process.stderr.write(`building ${commit} in ${folder} …\n`);
  execFileSync("npm", ["run", "--silent", "bench", "--", ...TRIAL], {
    cwd: folder,
    env,
    stdio: ["ignore", "ignore", "inherit"],
  });
  return folder;
}

function runCase(folder: string, name: string): BenchReport {
  const main = join(folder, "tools/bench/dist/main.js");
  const { stdout } = spawnSync(
    process.execPath,
    [main, "--only", name, "--scale", String(args.scale), "--json"],
    { encoding: "utf8", maxBuffer: MAX_OUTPUT_BYTES, stdio: ["ignore", "pipe", "ignore"] },
  );
  return JSON.parse(stdout) as BenchReport;
}

/** Runs both builds; which one goes first alternates, so that neither always gets the warmer machine. */
function runRound(other: string, name: string, oldFirst: boolean): BenchRound {
  if (oldFirst) {
    const old = runCase(other, name);
    return { old, new: runCase(root, name) };
  }
  const current = runCase(root, name);
  return { old: runCase(other, name), new: current };
}

const other = buildCommit(args.against);
let slower = 0;
for (const { name, title } of benchCases) {
  if (args.only !== undefined && !args.only.includes(name)) {
    continue;
  }
  process.stderr.write(`running ${name} ${args.rounds} times in both builds …\n`);
  const rounds = Array.from({ length: args.rounds }, (_, round) => runRound(other, name, round % 2 === 0));
  const rows = compareCase(rounds, name);
  slower += rows.filter(({ fell }) => fell).length;
  const table = new Table({
    head: ["new ÷ old", "fastest", "median", "range", ""],
    colAligns: ["left", "right", "right", "right", "left"],
    style: { head: [], border: [] },
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  table.push(...rows.map(comparisonCells));
  process.stdout.write(`${title} (${name})\n${table.toString()}\n\n`);
}
process.stdout.write(
  slower === 0 ? "no row fell by more than 5 %\n" : `rows that fell by more than 5 %: ${slower}\n`,
);
process.exitCode = slower === 0 ? 0 : 1;
