/**
 * `pnpm fuzz [--seed N] [--cases N] [--seconds N] [--only NAME] [--journal FILE]`: exits with code 1 if
 * something crashed.
 */
import { parseArgs } from "node:util";
import { keepBadFile } from "./files/bad-files.js";
import { runFuzz } from "./fuzz-run.js";
import { HARNESSES } from "./harnesses/all-harnesses.js";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== "--"),
  options: {
    seed: { type: "string" },
    cases: { type: "string" },
    seconds: { type: "string" },
    only: { type: "string" },
    journal: { type: "string" },
  },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const chosen = HARNESSES.filter(({ name }) => name.toLowerCase().includes((values.only ?? "").toLowerCase()));
console.log(`seed ${seed}, ${chosen.length} harnesses`);
const { cases, planned, seconds, harnesses, crashes, peakMemory } = await runFuzz(chosen, {
  seed,
  cases: Number(values.cases ?? 200_000),
  seconds: values.seconds === undefined ? undefined : Number(values.seconds),
  journal: values.journal,
  onProgress: (line) => console.log(line),
  onCrash: (crash) => {
    console.error(`${crash.harness} of ${crash.subject}, seed ${crash.seed}: ${crash.reason}`);
    console.error(`  ${crash.steps.join("; ")}; saved as ${keepBadFile(crash)}`);
  },
});
for (const [name, totals] of Object.entries(harnesses)) {
  const { milliseconds, subject, seed: own } = totals.slowest;
  const rate = Math.round(totals.cases / totals.seconds);
  console.log(
    `  ${name}: ${totals.cases} cases (${rate} a second), ${totals.results} results, ${totals.refusals} refusals, slowest ${milliseconds.toFixed(0)} ms (${subject}, seed ${own})`,
  );
}
console.log(
  `${cases} of ${planned} cases in ${seconds.toFixed(1)} s, ${crashes.length} crashes, ${Math.round(peakMemory / 2 ** 20)} MiB at most`,
);
process.exitCode = crashes.length > 0 ? 1 : 0;
