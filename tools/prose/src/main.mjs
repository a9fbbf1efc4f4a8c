/** `node tools/prose/src/main.mjs [--report] [PATH...]`: prints findings about the English of the files. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkFile, checkReadability } from "./check-file.mjs";
import { makeExceptions } from "./exceptions.mjs";
import { filesToCheck, isGuide, root } from "./files.mjs";
import { openFindingsCache } from "./findings-cache.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { report: { type: "boolean" } },
});

const cache = openFindingsCache();
const exceptions = makeExceptions();
/** @type {Map<string, number>} */
const perFolder = new Map();
/** @type {string[]} */
const readabilityLines = [];
let total = 0;

for (const { file, kind } of filesToCheck(positionals)) {
  const path = join(root, file);
  if (!existsSync(path)) {
    continue;
  }
  const text = readFileSync(path, "utf8");
  const findings = [...(await cache.findings(file, text, () => checkFile(file, kind, text)))];
  if (isGuide(file)) {
    const { report, findings: limits } = checkReadability(text);
    readabilityLines.push(`  ${report}  ${file}`);
    findings.push(...limits);
  }
  for (const finding of findings.filter((one) => !exceptions.covers(file, one))) {
    const { line, rule, message } = finding;
    total++;
    const folder = /^(?:packages|tools)\/[^/]+/.exec(file)?.[0] ?? /^[^/]+/.exec(file)?.[0] ?? "";
    perFolder.set(folder, (perFolder.get(folder) ?? 0) + 1);
    console.log(`${file}:${line}: ${rule}: ${message}`);
  }
}
cache.save();

if (positionals.length === 0) {
  for (const { file, rule, text = "" } of exceptions.unused) {
    total++;
    console.log(
      `tools/prose/exceptions.json: no finding is covered by the exception ${file} ${rule} "${text}"`,
    );
  }
}
if (readabilityLines.length > 0) {
  console.log(`\nReading ease and mean sentence of guides\n${readabilityLines.join("\n")}`);
}
if (values.report && total > 0) {
  console.log("\nFindings");
  for (const [folder, count] of [...perFolder].sort(([, a], [, b]) => b - a)) {
    console.log(`  ${String(count).padStart(5)}  ${folder}`);
  }
}
console.log(total === 0 ? "\nNo findings." : `\n${total} ${total === 1 ? "finding" : "findings"}.`);
process.exitCode = total === 0 ? 0 : 1;
