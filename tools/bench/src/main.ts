/** `pnpm bench [--only NAME] [--json] [--scale S]` */
import yargs from "yargs";
import { hideBin } from "yargs/helpers";
import type { BenchResult } from "./bench-case.js";
import { benchCases } from "./cases/index.js";
import { formatMachine, formatResult, goalsMet, makeReport } from "./report.js";

const args = await yargs(hideBin(process.argv))
  .scriptName("pnpm bench")
  .option("only", {
    type: "string",
    array: true,
    choices: benchCases.map(({ name }) => name),
    describe: "Run only these",
  })
  .option("json", { type: "boolean", default: false, describe: "One JSON document instead of tables" })
  .option("scale", { type: "number", default: 1, describe: "Fraction of the full size, to try a benchmark" })
  .strict()
  .parse();

const results: BenchResult[] = [];
for (const { name, title, run } of benchCases) {
  if (args.only === undefined || args.only.includes(name)) {
    process.stderr.write(`running ${name} …\n`);
    const result = { name, title, ...(await run(args.scale)) };
    results.push(result);
    if (!args.json) {
      process.stdout.write(`${formatResult(result)}\n`);
    }
  }
}
const command = `pnpm bench ${process.argv.slice(2).join(" ")}`.trim();
const report = makeReport(results, args.scale, command);
process.stdout.write(
  args.json ? `${JSON.stringify(report, null, 2)}\n` : `${formatMachine(report)}\n${goalsMet(results)}\n`,
);
// At a smaller scale, the goals are meaningless.
if (args.scale >= 1 && results.some(({ goals }) => goals.some(({ met }) => !met))) {
  process.exitCode = 1;
}
