/**
 * `pnpm reliability [--seed N] [--cases N] [--soak SECONDS] [--only PART] [--results FOLDER]`: runs the long
 * version of each part and writes RELIABILITY.md from the results. Parts with results in the folder do not
 * run again, so that an interrupted run can resume.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { PARTS, type PartResult } from "./reliability-parts.js";
import { type DonePart, type DoneRun, reliabilityText } from "./reliability-text.js";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== "--"),
  options: {
    seed: { type: "string" },
    cases: { type: "string" },
    soak: { type: "string" },
    only: { type: "string", multiple: true },
    results: { type: "string" },
  },
});

/** The current commit. In an export without a repository, `RELIABILITY_COMMIT` names it. */
const commit = process.env["RELIABILITY_COMMIT"] ?? checkedOutCommit();

function checkedOutCommit(): string {
  const git = (...args: readonly string[]): string =>
    execFileSync("git", [...args], { cwd: root, encoding: "utf8" }).trim();
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", "packages", "tools") !== "";
  return `${git("rev-parse", "--short", "HEAD")}${changed ? " with uncommitted changes" : ""}`;
}

const seed = Number(values.seed ?? 2026);
const cases = Number(values.cases ?? 10_000_000);
const soakSeconds = Number(values.soak ?? 600);
const folder =
  values.results ??
  fileURLToPath(new URL(`../reports/reliability-${commit.replaceAll(" ", "-")}-${seed}`, import.meta.url));
mkdirSync(folder, { recursive: true });
const resultOf = (part: string): string => join(folder, `${part.replaceAll(" ", "-")}.json`);
const command = `pnpm reliability --seed ${seed} --cases ${cases} --soak ${soakSeconds}`;

function doneParts(): DonePart[] {
  return Object.keys(PARTS)
    .filter((part) => existsSync(resultOf(part)))
    .map((part) => JSON.parse(readFileSync(resultOf(part), "utf8")) as DonePart);
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
    seconds: (performance.now() - start) / 1000,
    ...result,
  };
  writeFileSync(resultOf(name), JSON.stringify(done));
  for (const { what, often, found } of result.tried) {
    console.log(`  ${what}: ${often}: ${found}`);
  }
  for (const fault of result.faults) {
    console.log(`  FAULT ${fault}`);
  }
  const run: DoneRun = { command, node: process.version, all: Object.keys(PARTS), parts: doneParts() };
  writeFileSync(`${root}RELIABILITY.md`, reliabilityText(run));
}
const faults = doneParts().flatMap((part) => part.faults);
console.log(`${faults.length} faults; RELIABILITY.md is written`);
process.exitCode = faults.length > 0 ? 1 : 0;
