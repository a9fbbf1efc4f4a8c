/** `pnpm interop`: other systems read files written by cfile, and cfile reads theirs. */
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MissingError, requireJava } from "./artifacts.js";
import { checkDisks } from "./cluster/check-disks.js";
import { savedTruth, TRUTH } from "./cluster/cluster-truth.js";
import { coverageLines } from "./coverage.js";
import { readAgain } from "./kudu/compare/read-theirs.js";
import { type InteropOptions, parseOptions, USAGE, UsageError } from "./options.js";
import { removedAtEnd } from "./processes.js";
import {
  addRound,
  type CheckResult,
  documentReport,
  keptReport,
  type SystemName,
  type SystemReport,
  seedAfter,
} from "./report.js";
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
      const { showParquetFindings } = await import("./parquet/parquet-findings.js");
      await showParquetFindings();
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
  const { rounds, jobs, keep, document } = options;
  const system = await openSystem(name, options);
  let report = await reportBefore(name, system.version, options);
  const started = Date.now() - report.seconds * 1000;
  const first = report.firstSeed + report.rounds;
  const finished = new Map<number, readonly CheckResult[]>();
  let next = first;
  const job = async (): Promise<void> => {
    while (next < first + rounds) {
      const seed = next++;
      finished.set(seed, await runRound(name, system, seed, keep));
      // The report covers consecutive seeds; rounds that overtake a slower one wait.
      const before = report.rounds;
      for (let checks = finished.get(seedAfter(report)); checks; checks = finished.get(seedAfter(report))) {
        finished.delete(seedAfter(report));
        report = addRound(report, checks, Math.round((Date.now() - started) / 1000));
      }
      if (document && report.rounds > before) {
        await documentReport(report);
      }
    }
  };
  await Promise.all(Array.from({ length: jobs }, job));
  const { checks, occurred = {} } = report;
  for (const { what, cases, rows, failures, counts } of checks) {
    const more = Object.entries(counts ?? {}).map(([key, count]) => `, ${count} ${key}`);
    console.log(`${name}: ${what}: ${cases} cases, ${rows} rows, ${failures.length} wrong${more.join("")}`);
  }
  for (const line of coverageLines(occurred)) {
    console.log(`${name}: ${line}`);
  }
  return report;
}

/**
 * The report to add rounds to: an empty one, or with `--continue` the last report, if it has the same
 * version.
 */
async function reportBefore(
  name: SystemName,
  version: string,
  options: InteropOptions,
): Promise<SystemReport> {
  const last = options.goOn ? await keptReport(name) : undefined;
  if (last?.version === version) {
    return last;
  }
  return {
    system: name,
    version,
    firstSeed: options.seed,
    rounds: 0,
    seconds: 0,
    checks: [],
    failedSeeds: [],
  };
}

/** Runs one round and prints its result. The folder of a failed round is kept. */
async function runRound(
  name: SystemName,
  system: Awaited<ReturnType<typeof openSystem>>,
  seed: number,
  keep: string | undefined,
): Promise<readonly CheckResult[]> {
  const folder = await roundFolder(name, seed, keep);
  const leave = keep === undefined ? removedAtEnd(folder) : () => undefined;
  const began = Date.now();
  let checks: CheckResult[];
  try {
    checks = await system.round(seed, folder);
  } catch (error) {
    if (error instanceof MissingError) {
      throw error;
    }
    const failure = error instanceof Error ? (error.stack ?? "") : String(error);
    checks = [{ what: "the round itself", cases: 1, rows: 0, failures: [failure] }];
  }
  const failed = checks.some(({ failures }) => failures.length > 0);
  const cases = checks.reduce((sum, result) => sum + result.cases, 0);
  const seconds = ((Date.now() - began) / 1000).toFixed(1);
  const findings = checks.filter(({ isFinding }) => isFinding).map(({ what }) => `; ${what}`);
  console.log(
    `${name} seed ${seed}: ${cases} cases, ${seconds} s: ${failed ? "FAILED" : "ok"}${findings.join("")}`,
  );
  leave();
  if (failed) {
    for (const { what, failures } of checks) {
      for (const line of failures) {
        console.log(`  ${what}: ${line}`);
      }
    }
    console.log(`  again: pnpm interop --only ${name} --seed ${seed} --rounds 1; its files: ${folder}`);
  } else if (keep === undefined) {
    await rm(folder, { recursive: true, force: true });
  }
  return checks;
}

/**
 * Compares the data of a failed round: the directories of the server and the rows that Kudu's client read, or a Hudi table.
 */
async function compareAgain(folder: string): Promise<number> {
  const results = existsSync(join(folder, TRUTH))
    ? await checkDisks(folder, await savedTruth(folder))
    : existsSync(join(folder, "1", "facts.json"))
      ? await (await import("./hudi-table/hudi-table-round.js")).compareCopies(folder)
      : [await readAgain(folder)];
  const failures = results.flatMap((result) => result.failures);
  for (const line of failures) {
    console.log(line);
  }
  console.log(`${folder}: ${failures.length === 0 ? "the same as before" : `${failures.length} wrong`}`);
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
