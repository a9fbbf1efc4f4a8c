/**
 * `npm test`: installs, builds, checks types, lints and tests, then prints the totals of all test suites in
 * one line.
 */
import { provideChromium } from "./browser.mjs";
import { installWhenNeeded } from "./install.mjs";
import { progress, root, turbo, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { readCounts, removeReports, totalCounts } from "./test-counts.mjs";

/** @param {import("./test-counts.mjs").TestCounts} counts */
const describeCounts = ({ passed, failed, skipped, cases }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""} (${cases} cases)`;

/** Several times what the tests take on two slow cores. The table of packages then shows which one did not end. */
const TIME_LIMIT_MILLISECONDS = 70 * 60_000;

const STEPS = [
  { title: "Building", tasks: ["build"] },
  {
    title: "Checking types, format, style and prose",
    tasks: ["typecheck", "lint", "//#lint:root", "//#lint:prose"],
  },
  { title: "Testing", tasks: ["test"] },
];

withPinnedPnpm(import.meta.url, () => {
  const installed = installWhenNeeded();
  if (installed !== 0) {
    return installed;
  }
  removeReports(root);
  /** @type {string[]} */
  const failed = [];
  let missing = "";
  for (const { title, tasks } of STEPS) {
    if (tasks.includes("test")) {
      missing = provideChromium();
    }
    progress(`\n${title} …`);
    if (turbo([...tasks, "--continue=dependencies-successful"], "shown", TIME_LIMIT_MILLISECONDS) !== 0) {
      failed.push(title.toLowerCase());
      if (tasks.includes("build")) {
        break;
      }
    }
  }

  const packages = readCounts(root);
  const width = Math.max(...packages.map(({ name }) => name.length));
  console.log("");
  for (const { name, counts } of packages) {
    console.log(`  ${name.padEnd(width)}  ${counts === undefined ? "not run" : describeCounts(counts)}`);
  }
  const { passed, failed: failures, skipped, cases } = totalCounts(packages);
  if (missing !== "") {
    console.log(`\n${missing}`);
  }
  if (failed.length > 0) {
    console.log(`\nFailed: ${failed.join("; ")}.`);
  }
  console.log(`\n${passed + failures} tests checked ${cases} cases.`);
  console.log(`\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed.length > 0 || failures > 0 ? 1 : 0;
});
