/** `pnpm interop`: the systems themselves read what we wrote, and we read what they wrote. */
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MissingError, requireJava } from "./artifacts.js";
import { readAgain } from "./kudu/read-theirs.js";
import { type InteropOptions, parseOptions, USAGE, UsageError } from "./options.js";
import { removedAtEnd } from "./processes.js";
import { addChecks, type CheckResult, documentReport, type SystemName, type SystemReport } from "./report.js";
import { kuduPrograms, openSystem } from "./systems.js";

const FAILED = 1;
const WRONG_USE = 2;
const MISSING = 77;

process.exitCode = await main(process.argv.slice(2));
process.exit();

async function main(args: readonly string[]): Promise<number> {
  if (args.includes("--help")) {
    console.log(USAGE);
    return 0;
  }
  try {
    const options = parseOptions(args);
    if (options.again !== undefined) {
      return await compareAgain(options.again);
    }
    await requireJava();
    if (options.findings) {
      const { showFindings } = await import("./kudu/kudu-findings.js");
      await showFindings(await kuduPrograms(options.updateLock));
      return 0;
    }
    let code = 0;
    for (const system of options.systems) {
      try {
        const { failedSeeds } = await runSystem(system, options);
        code = failedSeeds.length > 0 ? FAILED : code;
      } catch (error) {
        if (!(error instanceof MissingError)) {
          throw error;
        }
        console.log(`interop: ${system} skipped: ${error.message}`);
        code ||= MISSING;
      }
    }
    return code;
  } catch (error) {
    if (error instanceof MissingError) {
      console.log(`interop: skipped: ${error.message}`);
      return MISSING;
    }
    if (error instanceof UsageError) {
      console.error(`interop: ${error.message}\n${USAGE}`);
      return WRONG_USE;
    }
    throw error;
  }
}

async function runSystem(name: SystemName, options: InteropOptions): Promise<SystemReport> {
  const { seed: firstSeed, rounds, keep, updateLock, document } = options;
  const started = Date.now();
  const system = await openSystem(name, updateLock);
  const failedSeeds: number[] = [];
  let checks: CheckResult[] = [];
  const reportOf = (done: number): SystemReport => {
    const seconds = Math.round((Date.now() - started) / 1000);
    return { system: name, version: system.version, firstSeed, rounds: done, seconds, checks, failedSeeds };
  };
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const folder = await roundFolder(name, seed, keep);
    const leave = keep === undefined ? removedAtEnd(folder) : () => undefined;
    const began = Date.now();
    let results: CheckResult[];
    try {
      results = await system.round(seed, folder);
    } catch (error) {
      if (error instanceof MissingError) {
        throw error;
      }
      results = [
        {
          what: "the round itself",
          cases: 1,
          rows: 0,
          failures: [error instanceof Error ? (error.stack ?? "") : String(error)],
        },
      ];
    }
    checks = addChecks(checks, results);
    const failures = results.flatMap((result) => result.failures);
    const cases = results.reduce((sum, result) => sum + result.cases, 0);
    const seconds = ((Date.now() - began) / 1000).toFixed(1);
    const findings = results.filter(({ isFinding }) => isFinding).map(({ what }) => `; ${what}`);
    const outcome = `${failures.length === 0 ? "ok" : "FAILED"}${findings.join("")}`;
    console.log(`${name} seed ${seed}: ${cases} cases, ${seconds} s: ${outcome}`);
    leave();
    if (failures.length > 0) {
      failedSeeds.push(seed);
      for (const { what, failures: lines } of results) {
        for (const line of lines) {
          console.log(`  ${what}: ${line}`);
        }
      }
      console.log(`  again: pnpm interop --only ${name} --seed ${seed} --rounds 1; its files: ${folder}`);
    } else if (keep === undefined) {
      await rm(folder, { recursive: true, force: true });
    }
    if (document) {
      await documentReport(reportOf(seed - firstSeed + 1));
    }
  }
  for (const { what, cases, rows, failures, counts } of checks) {
    const more = Object.entries(counts ?? {}).map(([key, count]) => `, ${count} ${key}`);
    console.log(`${name}: ${what}: ${cases} cases, ${rows} rows, ${failures.length} wrong${more.join("")}`);
  }
  return reportOf(rounds);
}

/** Compares what a failed round left: the server's directories and what Kudu's client read. */
async function compareAgain(folder: string): Promise<number> {
  const { failures } = await readAgain(folder);
  for (const line of failures) {
    console.log(line);
  }
  console.log(
    `${folder}: ${failures.length === 0 ? "as Kudu's client read it" : `${failures.length} wrong`}`,
  );
  return failures.length === 0 ? 0 : FAILED;
}

async function roundFolder(system: SystemName, seed: number, keep: string | undefined): Promise<string> {
  if (keep === undefined) {
    return mkdtemp(join(tmpdir(), `cfile-interop-${system}-${seed}-`));
  }
  const folder = join(keep, `${system}-${seed}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  return folder;
}
