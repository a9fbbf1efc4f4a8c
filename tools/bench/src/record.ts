/**
 * `pnpm bench:record [NAME…]`: runs the named cases, or all, each in its own process. Saves the results in
 * `results/`, adds them to the history there, and writes the page of figures and the page of figures over
 * time from everything saved. `none` only writes the pages.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { benchCases } from "./cases/index.js";
import { figuresPage } from "./figures/figures-page.js";
import { historyChart, historyOf, historyPage, parseHistory } from "./figures/history.js";
import type { BenchReport } from "./report.js";

const results = new URL("../results/", import.meta.url);
const docs = new URL("../../../docs/", import.meta.url);
const history = new URL("history.ndjson", results);
const main = fileURLToPath(new URL("./main.js", import.meta.url));
const MAX_OUTPUT = 64 * 1024 * 1024;

const names = benchCases.map(({ name }) => name);
const resultOf = (name: string): URL => new URL(`${name}.json`, results);

function git(...args: string[]): string {
  return execFileSync("git", args, { cwd: fileURLToPath(docs), encoding: "utf8" }).trim();
}

/** The built commit, followed by `+` if files other than recorded figures have changed. */
function currentCommit(): string {
  const changes = git("status", "--porcelain", "--", ":/packages", ":/tools", ":!/tools/bench/results");
  return git("rev-parse", "--short=12", "HEAD") + (changes === "" ? "" : "+");
}

function writePages(): void {
  const kept = names.filter((name) => existsSync(resultOf(name)));
  const reports = kept.map((name) => JSON.parse(readFileSync(resultOf(name), "utf8")) as BenchReport);
  writeFileSync(new URL("figures.md", docs), figuresPage(reports));
  const entries = existsSync(history) ? parseHistory(readFileSync(history, "utf8")) : [];
  const titles = new Map(benchCases.map(({ name, title }) => [name, title]));
  writeFileSync(new URL("figures-over-time.md", docs), historyPage(entries, titles));
  mkdirSync(new URL("history/", docs), { recursive: true });
  for (const name of names.filter((one) => entries.some((entry) => entry.case === one))) {
    writeFileSync(new URL(`history/${name}.svg`, docs), historyChart(name, entries));
  }
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name) && name !== "none");
if (unknown.length > 0) {
  process.stderr.write(`no case ${unknown.join(", ")} (available: ${names.join(", ")}, none)\n`);
  process.exit(2);
}
mkdirSync(results, { recursive: true });
const commit = currentCommit();
for (const name of names.filter((one) => wanted.length === 0 || wanted.includes(one))) {
  const { stdout } = spawnSync(process.execPath, [main, "--only", name, "--json"], {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A missed goal is also a result; without a JSON document, the run failed.
  if (!stdout.trimStart().startsWith("{")) {
    process.stderr.write(`${name} returned no figures; the saved ones are kept\n`);
    process.exitCode = 1;
    continue;
  }
  writeFileSync(resultOf(name), stdout);
  for (const entry of historyOf(JSON.parse(stdout) as BenchReport, commit)) {
    appendFileSync(history, `${JSON.stringify(entry)}\n`);
  }
}
writePages();
