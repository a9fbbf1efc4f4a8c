import { expect, test } from "vitest";
import type { BenchRow } from "../src/bench-case.js";
import { compareCase, comparisonCells } from "../src/compare-builds.js";
import type { BenchReport } from "../src/report.js";

const row = (contender: string, milliseconds: number, fastest?: number): BenchRow => ({
  contender,
  milliseconds,
  ...(fastest === undefined ? {} : { fastest }),
  rate: 1 / milliseconds,
  ratio: 1,
});

const report = (...rows: BenchRow[]): BenchReport => ({
  command: "",
  date: "",
  machine: { cpu: "", cores: 2, memoryGiB: 1, load: 0 },
  versions: {},
  scale: 1,
  results: [{ name: "read", title: "Read", unit: "rows/s", peer: "peer", rows, goals: [] }],
});

test("a row that is slower in its fastest runs and in the median round has fallen", () => {
  const rounds = [
    { old: report(row("cfile (plain)", 12, 10)), new: report(row("cfile (plain)", 14, 12)) },
    { old: report(row("cfile (plain)", 10, 10)), new: report(row("cfile (plain)", 30, 11)) },
    { old: report(row("cfile (plain)", 11, 11)), new: report(row("cfile (plain)", 10, 10.8)) },
  ];
  const [comparison] = compareCase(rounds, "read");
  expect(comparison?.ratios.map((ratio) => ratio.toFixed(3))).toEqual(["0.833", "0.909", "1.019"]);
  expect(comparison?.best).toBeCloseTo(10 / 10.8);
  expect(comparison?.fell).toBe(true);
  expect(comparison && comparisonCells(comparison)).toEqual([
    "cfile (plain)",
    "0.93",
    "0.91",
    "0.83–1.02",
    "SLOWER",
  ]);
});

test("one slow round is noise", () => {
  const rounds = [
    { old: report(row("cfile", 10)), new: report(row("cfile", 20)) },
    { old: report(row("cfile", 10)), new: report(row("cfile", 10)) },
    { old: report(row("cfile", 10)), new: report(row("cfile", 10)) },
  ];
  expect(compareCase(rounds, "read").map(({ fell }) => fell)).toEqual([false]);
});

test("a peer never falls: its ratio shows the noise of the machine", () => {
  const rounds = [{ old: report(row("peer", 10)), new: report(row("peer", 20)) }];
  expect(compareCase(rounds, "read")).toMatchObject([{ best: 0.5, fell: false }]);
});

test("renamed rows are matched by position, and rows that only one build has are left out", () => {
  const rounds = [
    { old: report(row("cfile (old name)", 10)), new: report(row("cfile", 5), row("cfile (added)", 1)) },
  ];
  expect(compareCase(rounds, "read").map(({ contender, best }) => [contender, best])).toEqual([["cfile", 2]]);
});
