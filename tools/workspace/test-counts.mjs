/** Adds up the reports that test runs of packages write to `reports/vitest.json`. */
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";

/**
 * @typedef {{ passed: number, failed: number, skipped: number, cases: number }} TestCounts `cases`: values and outcomes
 *   that the tests compared; each test counts its cases (`tools/testkit/src/cases.ts`)
 * @typedef {{ name: string, counts: TestCounts | undefined }} PackageCounts `undefined`: the package left no report
 */

const REPORT = join("reports", "vitest.json");

/**
 * Every folder in `packages/` and `tools/` whose package has a test script.
 * @param {string} root
 * @returns {{ name: string, folder: string }[]}
 */
export function testedPackages(root) {
  return ["packages", "tools"].flatMap((parent) =>
    readdirSync(join(root, parent))
      .map((entry) => join(root, parent, entry))
      .filter((folder) => existsSync(join(folder, "package.json")))
      .map((folder) => ({ folder, manifest: JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
      .filter(({ manifest }) => manifest.scripts?.test !== undefined)
      .map(({ folder, manifest }) => ({ name: manifest.name, folder })),
  );
}

/**
 * Removes the reports, so that any report found later comes from this run (or is replayed from the cache).
 * @param {string} root
 */
export function removeReports(root) {
  for (const { folder } of testedPackages(root)) {
    rmSync(join(folder, REPORT), { force: true });
  }
}

/**
 * @param {string} root
 * @returns {PackageCounts[]}
 */
export function readCounts(root) {
  return testedPackages(root).map(({ name, folder }) => {
    const file = join(folder, REPORT);
    return {
      name,
      counts: existsSync(file) ? countTests(JSON.parse(readFileSync(file, "utf8"))) : undefined,
    };
  });
}

/**
 * The counts of one vitest JSON report. A test file that fails to load contains no tests; it counts as one
 * failed test, so that the failure is visible.
 * @param {{ numPassedTests: number, numFailedTests: number, numTotalTests: number,
 *   testResults: { status: string, assertionResults: { meta?: { cases?: number } }[] }[] }} report
 * @returns {TestCounts}
 */
export function countTests(report) {
  const unloaded = report.testResults.filter(
    (file) => file.status === "failed" && file.assertionResults.length === 0,
  ).length;
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded,
    skipped: report.numTotalTests - report.numPassedTests - report.numFailedTests,
    cases: report.testResults
      .flatMap((file) => file.assertionResults)
      .reduce((sum, { meta }) => sum + (meta?.cases ?? 0), 0),
  };
}

/**
 * The total. A package without a report counts as one failed test.
 * @param {PackageCounts[]} packages
 * @returns {TestCounts}
 */
export function totalCounts(packages) {
  const total = { passed: 0, failed: 0, skipped: 0, cases: 0 };
  for (const { counts } of packages) {
    total.passed += counts?.passed ?? 0;
    total.failed += counts?.failed ?? 1;
    total.skipped += counts?.skipped ?? 0;
    total.cases += counts?.cases ?? 0;
  }
  return total;
}
