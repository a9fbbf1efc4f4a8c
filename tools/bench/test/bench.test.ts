import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { benchCases } from "../src/cases/index.js";
import type { BenchReport } from "../src/report.js";

// One test runs all benchmarks.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** Without the cases that download Kudu and HBase. */
const names = benchCases.map(({ name }) => name).filter((name) => !name.startsWith("beside-"));

test("every benchmark runs at a small scale, checks its answers and reports ratios", async () => {
  const args = [main, "--json", "--scale", "0.002", "--only", ...names];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  const report = JSON.parse(stdout) as BenchReport;
  expect(names.length).toBeGreaterThan(20);
  expect(report.results.map(({ name }) => name)).toEqual(names);
  expect(report.versions["hyparquet"]).toMatch(/^\d/);
  for (const { rows, peer } of report.results) {
    expect(
      rows.some(
        ({ contender, peer: own = peer, ratio }) =>
          contender.startsWith(own) && Math.abs((ratio ?? 0) - 1) < 1e-9,
      ),
    ).toBe(true);
    for (const { milliseconds, rate, ratio } of rows) {
      expect(Math.min(milliseconds, rate, ratio ?? 1)).toBeGreaterThan(0);
    }
  }
});
