/** `pnpm fuzz [--seed N] [--runs N] [--seconds N]`: the exit code is 1 when something crashed. */
import { parseArgs } from "node:util";
import { keepBadFile } from "./bad-files.js";
import { runFuzz } from "./run-fuzz.js";

const { values } = parseArgs({
  args: process.argv.slice(2).filter((each) => each !== "--"),
  options: { seed: { type: "string" }, runs: { type: "string" }, seconds: { type: "string" } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const seconds = values.seconds === undefined ? undefined : Number(values.seconds);
console.log(`seed ${seed}`);
const report = await runFuzz({
  seed,
  runs: Number(values.runs ?? 20_000),
  seconds,
  onCrash: (crash) => {
    console.error(`${crash.harness} of ${crash.file}: --seed ${crash.seed} --runs 1: ${crash.reason}`);
    console.error(`  ${crash.steps.join("; ")}; kept as ${keepBadFile(crash)}`);
  },
});
console.log(`${report.runs} files in ${report.seconds.toFixed(1)} s`);
for (const [name, { runs, results, refusals }] of Object.entries(report.harnesses)) {
  console.log(`  ${name}: ${runs} runs, ${results} results, ${refusals} refusals`);
}
console.log(`slowest: ${report.slowest.milliseconds.toFixed(0)} ms, ${report.slowest.what}`);
console.log(`${report.crashes.length} crashes`);
process.exitCode = report.crashes.length > 0 ? 1 : 0;
