import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder } from "@cfile-tools/testkit";
import { beforeEach, describe, expect, it } from "vitest";
import { countTests, readCounts, removeReports, totalCounts } from "../test-counts.mjs";

describe("countTests", () => {
  it("counts passed, failed and skipped tests, and their cases", () => {
    expect(
      countTests({
        numPassedTests: 5,
        numFailedTests: 2,
        numTotalTests: 8,
        testResults: [
          { status: "failed", assertionResults: [{ meta: { cases: 7 } }, { meta: { cases: 2 } }, {}] },
        ],
      }),
    ).toEqual({ passed: 5, failed: 2, skipped: 1, cases: 9 });
  });

  it("counts a test file that fails to load as one failed test", () => {
    const testResults = [
      { status: "failed", assertionResults: [] },
      { status: "passed", assertionResults: [{}] },
    ];
    expect(countTests({ numPassedTests: 1, numFailedTests: 0, numTotalTests: 1, testResults })).toEqual({
      passed: 1,
      failed: 1,
      skipped: 0,
      cases: 0,
    });
  });
});

describe("the reports of a workspace", () => {
  let root: string;

  beforeEach(() => {
    root = temporaryFolder();
    for (const [folder, scripts] of [
      ["packages/a", { test: "vitest run" }],
      ["packages/b", { test: "vitest run" }],
      ["tools/untested", {}],
    ] as const) {
      mkdirSync(join(root, folder, "reports"), { recursive: true });
      writeFileSync(join(root, folder, "package.json"), JSON.stringify({ name: folder, scripts }));
    }
    mkdirSync(join(root, "tools/not-a-package"));
    writeFileSync(
      join(root, "packages/a/reports/vitest.json"),
      JSON.stringify({ numPassedTests: 3, numFailedTests: 0, numTotalTests: 3, testResults: [] }),
    );
  });

  it("are read from every package with a test script; a missing report is a failure", () => {
    const counts = readCounts(root);
    expect(counts).toEqual([
      { name: "packages/a", counts: { passed: 3, failed: 0, skipped: 0, cases: 0 } },
      { name: "packages/b", counts: undefined },
    ]);
    expect(totalCounts(counts)).toEqual({ passed: 3, failed: 1, skipped: 0, cases: 0 });
  });

  it("are removed before a run", () => {
    removeReports(root);
    expect(readCounts(root).map(({ counts }) => counts)).toEqual([undefined, undefined]);
  });
});
