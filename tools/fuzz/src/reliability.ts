/** `pnpm reliability [--seconds N] [--factor N]`: runs the long forms and writes RELIABILITY.md from what they found. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepBadFile } from "./bad-files.js";
import { tryEveryBit } from "./exhaustive.js";
import { runFuzz } from "./fuzz-run.js";
import { HARNESSES } from "./harnesses/all-harnesses.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== "--"),
  options: { seconds: { type: "string" }, factor: { type: "string" }, seed: { type: "string" } },
});
const seconds = Number(values.seconds ?? 600);
const factor = Number(values.factor ?? 10);
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));

interface Suite {
  readonly passed: number;
  readonly failed: number;
}

/** The long form of a package's tests. */
function runSuite(folder: string, files: readonly string[], env: Readonly<Record<string, string>>): Suite {
  const report = `${root}${folder}/reports/vitest.json`;
  // A report of an earlier run must not pass for this one's.
  rmSync(report, { force: true });
  spawnSync("npx", ["vitest", "run", "--config", "../../vitest.config.mjs", ...files], {
    cwd: `${root}${folder}`,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8")) as {
    numPassedTests: number;
    numFailedTests: number;
  };
  return { passed: numPassedTests, failed: numFailedTests };
}

/** The commit that ran: of an export without a repository `RELIABILITY_COMMIT` names it. */
const commit = process.env["RELIABILITY_COMMIT"] ?? checkedOutCommit();

function checkedOutCommit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no") !== "";
  return `${git("rev-parse", "--short", "HEAD")}${changed ? " with changes that are not committed" : ""}`;
}

console.log(`seed ${seed}`);
const exhaustive = await tryEveryBit(8192, seconds / 3);
console.log(
  `${exhaustive.flips} flips, ${exhaustive.truncations} truncations, ${exhaustive.faults.length} faults`,
);
const fuzz = await runFuzz(HARNESSES, { seed, cases: 10_000_000, seconds, onCrash: keepBadFile });
console.log(`${fuzz.cases} mutated files, ${fuzz.crashes.length} crashes`);
const recovery = runSuite("packages/format", ["test/recover-damage.test.ts"], { RECOVER_RUNS: `${factor}` });
const forged = runSuite("packages/format", ["test/forged.test.ts"], {});
const powerCuts = runSuite("packages/cfile", ["test/power-cut.test.ts"], { POWER_CUT_RUNS: `${factor}` });

const DAMAGE_PATTERNS = 14 * 75;
const number = (value: number): string => value.toLocaleString("en-US");
const verdict = ({ passed, failed }: Suite): string => `${passed} tests passed, ${failed} failed`;
const row = (...cells: readonly string[]): string => `| ${cells.join(" | ")} |`;

const text = `# Reliability

Written by \`pnpm reliability --seconds ${seconds} --factor ${factor} --seed ${seed}\` on ${new Date().toISOString().slice(0, 10)} at commit
\`${commit}\`, with Node ${process.version}. The same seed gives the same mutated
files in the same order; how many of them are reached depends on the time given. The tests of every change run a short form of each line.

${row("tried", "how often", "found")}
${row("---", "---:", "---")}
${row(`Every bit of ${exhaustive.files} of the smallest files that Kudu wrote, flipped, then scanned`, number(exhaustive.flips), `${exhaustive.faults.length} wrong values or untyped errors`)}
${row("Every length that those files can be cut to", number(exhaustive.truncations), "counted above")}
${row("Files damaged in their structure, checksums made right again", number(fuzz.cases), `${fuzz.crashes.length} crashes, hangs or unsound recoveries`)}
${row("Damage patterns, exact recovery expected, besides single bits and files without checksums", number(DAMAGE_PATTERNS * factor), verdict(recovery))}
${row("Bombs and forged counts", number(forged.passed + forged.failed - 1), verdict(forged))}
${row("Power cuts while writing, 10 kinds of column, 4 kinds of disk each", "at least 1,000 (the test counts)", verdict(powerCuts))}

Files without checksums cannot show every flip: ${number(exhaustive.unseen)} of the flips above gave other values, all of them in such files.

## Harnesses

${row("harness", "runs", "results", "refusals (`CFileError`)")}
${row("---", "---:", "---:", "---:")}
${Object.entries(fuzz.harnesses)
  .map(([name, { cases, results, refusals }]) => row(name, number(cases), number(results), number(refusals)))
  .join("\n")}

## Faults

${[...exhaustive.faults, ...fuzz.crashes.map(({ harness, subject, seed: at, reason }) => `${harness} of ${subject}, seed ${at}: ${reason.split("\n")[0]}`)].map((fault) => `- ${fault}`).join("\n") || "None in this run."}

A file that crashed something is kept in \`fixtures/bad/\`, with a line that says what it is.
`;
writeFileSync(`${root}RELIABILITY.md`, text);
console.log(text);
process.exitCode =
  exhaustive.faults.length + fuzz.crashes.length + recovery.failed + forged.failed + powerCuts.failed > 0
    ? 1
    : 0;
