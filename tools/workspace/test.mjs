/** `npm test`: installs, builds, checks types, lints, tests, and closes with the counts of all suites in one line. */
import { provideChromium } from "./browser.mjs";
import { installWhenNeeded } from "./install.mjs";
import { progress, root, turbo, withPinnedPnpm } from "./pinned-pnpm.mjs";
import { readCounts, removeReports, totalCounts } from "./test-counts.mjs";

const STEPS = [
  { title: "Building", tasks: ["build"] },
  { title: "Checking types, format and style", tasks: ["typecheck", "lint", "//#lint:root"] },
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
    if (turbo([...tasks, "--continue=dependencies-successful"], "shown") !== 0) {
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
    const line = counts === undefined ? "did not run" : `${counts.passed} passed, ${counts.failed} failed`;
    console.log(`  ${name.padEnd(width)}  ${line}${counts?.skipped ? `, ${counts.skipped} skipped` : ""}`);
  }
  const { passed, failed: failures, skipped } = totalCounts(packages);
  if (missing !== "") {
    console.log(`\n${missing}`);
  }
  if (failed.length > 0) {
    console.log(`\nFailed: ${failed.join("; ")}.`);
  }
  console.log(`\n${passed} passed, ${failures} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
  return failed.length > 0 || failures > 0 ? 1 : 0;
});
