import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { benchCases } from "../src/cases/index.js";
import type { BenchReport } from "../src/report.js";

// One test runs all benchmarks.
vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const main = fileURLToPath(new URL("../dist/main.js", import.meta.url));

/** Without the cases that download Kudu, HBase and Hudi. */
const names = benchCases.map(({ name }) => name).filter((name) => !name.startsWith("beside-"));

async function runBenchmarks(cases: readonly string[]): Promise<BenchReport> {
  const args = [main, "--json", "--scale", "0.002", "--only", ...cases];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1 << 26 });
  return JSON.parse(stdout);
}

test("every benchmark runs at a small scale, checks its answers and reports ratios", async () => {
  const halves = [0, 1].map((half) => names.filter((_, i) => i % 2 === half));
  const reports = await Promise.all(halves.map(runBenchmarks));
  const results = reports.flatMap((report) => report.results);
  expect(names.length).toBeGreaterThan(20);
  expect(results.map(({ name }) => name)).toEqual(halves.flat());
  expect(reports[0]?.versions["hyparquet"]).toMatch(/^\d/);
  for (const { rows, peer } of results) {
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
