/** Runs test files of a package in their long version. */
import { spawnSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));

/** Counts of tests, and the names of those that failed. */
export interface Suite {
  readonly passed: number;
  readonly failed: number;
  readonly failures: readonly string[];
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/**
 * @param folder of the package, from the root of the repository
 * @param env variables that make the tests long
 */
export function runSuite(
  folder: string,
  files: readonly string[],
  env: Readonly<Record<string, string>>,
): Suite {
  const report = `${root}${folder}/reports/vitest.json`;
  // A report of an earlier run must not be mistaken for this one.
  rmSync(report, { force: true });
  spawnSync("npx", ["vitest", "run", "--config", "../../vitest.config.mjs", ...files], {
    cwd: `${root}${folder}`,
    env: { ...process.env, ...env },
    stdio: "ignore",
  });
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(
    readFileSync(report, "utf8"),
  ) as VitestReport;
  const failures = testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status === "failed")
    .map(({ fullName }) => `${folder}: ${fullName}`);
  return { passed: numPassedTests, failed: numFailedTests, failures };
}
