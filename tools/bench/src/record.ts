/**
 * `pnpm bench:record [--throttled last|all] [NAME…]`: runs the named cases, or all, each in its own process. Saves the results in
 * `results/`, adds them to the history there, and writes the page of figures and the page of figures over
 * time from everything saved. `none` only writes the pages. Throttled runs take place beside busy loops on the last core or on all cores.
 * Their results are saved in `results/throttled/last/` and `results/throttled/all/`, and are not part of the history.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { benchCases } from "./cases/index.js";
import { figuresPage } from "./figures/figures-page.js";
import { historyChart, historyOf, historyPage, parseHistory } from "./figures/history.js";
import { busyLoops, type Throttle } from "./machine/busy-loops.js";
import type { BenchReport } from "./report.js";

const results = new URL("../results/", import.meta.url);
const docs = new URL("../../../docs/", import.meta.url);
const history = new URL("history.ndjson", results);
const main = fileURLToPath(new URL("./main.js", import.meta.url));
const MAX_OUTPUT = 64 * 1024 * 1024;

const names = benchCases.map(({ name }) => name);
const throttledResults = (throttle: Throttle): URL => new URL(`throttled/${throttle}/`, results);

/** The saved reports of a folder, in the order of the cases. */
function savedReports(folder: URL): BenchReport[] {
  return names
    .map((name) => new URL(`${name}.json`, folder))
    .filter((file) => existsSync(file))
    .map((file) => JSON.parse(readFileSync(file, "utf8")) as BenchReport);
}

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: fileURLToPath(docs), encoding: "utf8" }).trim();
}

/** The built commit, followed by `+` if files other than recorded figures have changed. */
function currentCommit(): string {
  const changes = git("status", "--porcelain", "--", ":/packages", ":/tools", ":!/tools/bench/results");
  return git("rev-parse", "--short=12", "HEAD") + (changes === "" ? "" : "+");
}

function writePages(): void {
  writeFileSync(
    new URL("figures.md", docs),
    figuresPage(savedReports(results), {
      last: savedReports(throttledResults("last")),
      all: savedReports(throttledResults("all")),
    }),
  );
  const entries = existsSync(history) ? parseHistory(readFileSync(history, "utf8")) : [];
  const titles = new Map(benchCases.map(({ name, title }) => [name, title]));
  writeFileSync(new URL("figures-over-time.md", docs), historyPage(entries, titles));
  mkdirSync(new URL("history/", docs), { recursive: true });
  for (const name of names.filter((one) => entries.some((entry) => entry.case === one))) {
    writeFileSync(new URL(`history/${name}.svg`, docs), historyChart(name, entries));
  }
}

/** The output of a case; `undefined` if it failed. */
function runCase(name: string): string | undefined {
  const { stdout } = spawnSync(process.execPath, [main, "--only", name, "--json"], {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A missed goal is also a result; without a JSON document, the run failed.
  return stdout.trimStart().startsWith("{") ? stdout : undefined;
}

function recordCases(cases: readonly string[], throttle?: Throttle): void {
  const folder = throttle === undefined ? results : throttledResults(throttle);
  mkdirSync(folder, { recursive: true });
  const commit = currentCommit();
  for (const name of cases) {
    const output = runCase(name);
    if (output === undefined) {
      process.stderr.write(`${name} returned no figures; the saved ones are kept\n`);
      process.exitCode = 1;
      continue;
    }
    writeFileSync(new URL(`${name}.json`, folder), output);
    const entries = throttle === undefined ? historyOf(JSON.parse(output) as BenchReport, commit) : [];
    for (const entry of entries) {
      appendFileSync(history, `${JSON.stringify(entry)}\n`);
    }
  }
}

const { positionals: wanted, values } = parseArgs({
  allowPositionals: true,
  options: { throttled: { type: "string" } },
});
const { throttled } = values;
if (throttled !== undefined && throttled !== "last" && throttled !== "all") {
  process.stderr.write("--throttled takes last or all: the cores to occupy\n");
  process.exit(2);
}
const unknown = wanted.filter((name) => !names.includes(name) && name !== "none");
if (unknown.length > 0) {
  process.stderr.write(`no case ${unknown.join(", ")} (available: ${names.join(", ")}, none)\n`);
  process.exit(2);
}
const cases = names.filter((name) => wanted.length === 0 || wanted.includes(name));
if (throttled === undefined) {
  recordCases(cases);
} else {
  using _loops = busyLoops(throttled);
  recordCases(cases, throttled);
}
writePages();
