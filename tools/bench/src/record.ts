/**
 * `pnpm bench:record [NAME…]`: runs the named cases, or all, each in its own process. Saves the results in
 * `results/`, and writes the page of figures from all saved results.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { benchCases } from "./cases/index.js";
import { figuresPage } from "./figures/figures-page.js";
import type { BenchReport } from "./report.js";

const results = new URL("../results/", import.meta.url);
const page = new URL("../../../docs/figures.md", import.meta.url);
const main = fileURLToPath(new URL("./main.js", import.meta.url));
const MAX_OUTPUT = 64 * 1024 * 1024;

const names = benchCases.map(({ name }) => name);
const resultOf = (name: string): URL => new URL(`${name}.json`, results);

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !names.includes(name) && name !== "none");
if (unknown.length > 0) {
  process.stderr.write(`no case ${unknown.join(", ")} (available: ${names.join(", ")}, none)\n`);
  process.exit(2);
}
mkdirSync(results, { recursive: true });
for (const name of names.filter((one) => wanted.length === 0 || wanted.includes(one))) {
  const { stdout } = spawnSync(process.execPath, [main, "--only", name, "--json"], {
    encoding: "utf8",
    maxBuffer: MAX_OUTPUT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  // A missed goal is a result as well; without a document, something went wrong.
  if (!stdout.trimStart().startsWith("{")) {
    process.stderr.write(`${name} returned no figures; the saved ones are kept\n`);
    process.exitCode = 1;
    continue;
  }
  writeFileSync(resultOf(name), stdout);
}
const kept = names.filter((name) => existsSync(resultOf(name)));
writeFileSync(
  page,
  figuresPage(kept.map((name) => JSON.parse(readFileSync(resultOf(name), "utf8")) as BenchReport)),
);
