/**
 * `pnpm reliability [--seed N] [--cases N] [--soak SECONDS] [--only PART] [--results FOLDER]`: runs the long
 * version of each part. Parts with results in the folder do not run again, so that an interrupted run can
 * resume.
 *
 * `pnpm reliability --continue [--seconds N] [--only HARNESS]`: adds cases to those of earlier runs. `--only directories` adds damaged
 * directories.
 *
 * `pnpm reliability --write`: runs nothing.
 *
 * All write RELIABILITY.md from `tools/fuzz/reliability`: the latest result of each part, and the journal of
 * continued runs. Both are committed.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { keepBadFile } from "../files/bad-files.js";
import type { Harness } from "../harness.js";
import { HARNESSES } from "../harnesses/all-harnesses.js";
import { continueRun } from "./continue-run.js";
import type { PartResult } from "./part.js";
import { PARTS } from "./reliability-parts.js";
import { type DonePart, reliabilityText } from "./reliability-text.js";
import { readRuns } from "./run-journal.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== "--"),
  options: {
    seed: { type: "string" },
    cases: { type: "string" },
    soak: { type: "string" },
    only: { type: "string", multiple: true },
    results: { type: "string" },
    continue: { type: "boolean" },
    seconds: { type: "string" },
    write: { type: "boolean" },
  },
});

/** The current commit. Without a Git repository, it is taken from `RELIABILITY_COMMIT`. */
const commit = process.env["RELIABILITY_COMMIT"] ?? checkedOutCommit();

function checkedOutCommit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: root, encoding: "utf8" }).trim();
  const changed =
    git(
      "status",
      "--porcelain",
      "--untracked-files=no",
      "--",
      "packages",
      "tools",
      ":!tools/fuzz/reliability",
    ) !== "";
  return `${git("rev-parse", "--short", "HEAD")}${changed ? " with uncommitted changes" : ""}`;
}

const seed = Number(values.seed ?? 2026);
const cases = Number(values.cases ?? 10_000_000);
const soakSeconds = Number(values.soak ?? 600);
const folder =
  values.results ??
  fileURLToPath(new URL(`../reports/reliability-${commit.replaceAll(" ", "-")}-${seed}`, import.meta.url));
if (values.continue !== true && values.write !== true) {
  mkdirSync(folder, { recursive: true });
}
const resultOf = (part: string): string => join(folder, `${part.replaceAll(" ", "-")}.json`);
/** The folder of committed results. */
const kept = fileURLToPath(new URL("../../reliability/", import.meta.url));
const journal = join(kept, "runs.ndjson");
/** Seed of all continued runs, whose indexes continue. */
const CONTINUED_SEED = 2027;
const ROUND_SECONDS = 12;
/** Names the damaged directories among the harnesses. */
const DIRECTORIES = "directories";

const keptFile = (part: string): string => join(kept, `${part.replaceAll(" ", "-")}.json`);

/** Writes the result, formatted so that lint accepts it. */
function keep(done: DonePart): void {
  const file = keptFile(done.name);
  writeFileSync(file, JSON.stringify(done, undefined, 2));
  execFileSync(join(root, "node_modules/.bin/biome"), ["format", "--write", file], { cwd: root });
}

function keptPart(name: string): DonePart | undefined {
  const file = keptFile(name);
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as DonePart) : undefined;
}

function writeReport(): void {
  const all = Object.keys(PARTS);
  const parts = all.map(keptPart).filter((part) => part !== undefined);
  writeFileSync(`${root}RELIABILITY.md`, reliabilityText({ all, parts, runs: readRuns(journal) }));
}

/** A failing part is a fault, but the others still run. */
async function finished(name: string, part: Promise<PartResult>): Promise<PartResult> {
  try {
    return await part;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return {
      tried: [{ what: name, often: "0", found: "the part itself failed" }],
      faults: [`${name}: ${reason}`],
    };
  }
}

async function runParts(): Promise<readonly string[]> {
  const faults: string[] = [];
  console.log(`seed ${seed}, commit ${commit}, results in ${folder}`);
  for (const [name, part] of Object.entries(PARTS)) {
    const wanted = values.only === undefined || values.only.includes(name);
    if (!wanted || existsSync(resultOf(name))) {
      continue;
    }
    console.log(`${new Date().toISOString().slice(11, 19)} ${name}`);
    const start = performance.now();
    const result = await finished(
      name,
      part({
        seed,
        cases,
        soakSeconds,
        journal: join(folder, "fuzz.ndjson"),
        onProgress: (line) => console.log(`  ${line}`),
      }),
    );
    const done: DonePart = {
      name,
      commit,
      date: new Date().toISOString().slice(0, 10),
      node: process.version,
      command: `pnpm reliability --only "${name}" --seed ${seed} --cases ${cases} --soak ${soakSeconds}`,
      seconds: Math.round((performance.now() - start) / 1000),
      ...result,
    };
    writeFileSync(resultOf(name), JSON.stringify(done));
    keep(done);
    for (const { what, often, found } of result.tried) {
      console.log(`  ${what}: ${often}: ${found}`);
    }
    for (const fault of result.faults) {
      console.log(`  FAULT ${fault}`);
    }
    faults.push(...result.faults);
    writeReport();
  }
  return faults;
}

function chosenHarnesses(names: readonly string[]): readonly Harness[] {
  const unknown = names.filter((name) => !HARNESSES.some((harness) => harness.name === name));
  if (unknown.length > 0) {
    throw new RangeError(`unknown harness ${unknown.join(", ")}`);
  }
  return HARNESSES.filter(({ name }) => names.includes(name));
}

async function runOn(): Promise<readonly string[]> {
  const { only } = values;
  const named = only?.filter((name) => name !== DIRECTORIES);
  const { faults } = await continueRun(named === undefined ? HARNESSES : chosenHarnesses(named), {
    seed: CONTINUED_SEED,
    file: journal,
    commit,
    seconds: Number(values.seconds ?? 3600),
    roundSeconds: ROUND_SECONDS,
    damagesDirectories: only === undefined || only.includes(DIRECTORIES),
    onCrash: keepBadFile,
    onRound: ({ harnesses, directories, faults: found }) => {
      const inputs = Object.values(harnesses).reduce((sum, { from, to }) => sum + to - from, 0);
      const time = new Date().toISOString().slice(11, 19);
      console.log(
        `${time} ${inputs.toLocaleString("en-US")} inputs, ${directories.to - directories.from} directories, ${found.length} faults`,
      );
    },
  });
  return faults;
}

const faults = values.write === true ? [] : values.continue === true ? await runOn() : await runParts();
writeReport();
console.log(`${faults.length} faults; RELIABILITY.md is written`);
process.exitCode = faults.length > 0 ? 1 : 0;
