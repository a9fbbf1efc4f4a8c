import { expect, test } from "vitest";
import { atLeast } from "../src/bench-case.js";
import { historyChart, historyOf, historyPage, parseHistory } from "../src/figures/history.js";
import { makeReport } from "../src/report.js";

const result = (name: string, measured: number) => ({
  name,
  title: `Title of ${name}`,
  unit: "MB/s",
  peer: "peer",
  rows: [],
  goals: measured === 0 ? [] : [atLeast("fast", 2, measured)],
});

const entries = [
  ...historyOf(makeReport([result("scan", 2.123456), result("quiet", 0)], 1, ""), "abc123def456"),
  ...historyOf(makeReport([result("scan", 3)], 1, ""), "fedcba987654+"),
];

test("a run adds what was measured for each goal; lines of JSON keep it", () => {
  expect(entries).toMatchObject([
    { case: "scan", commit: "abc123def456", node: process.version, ratios: { fast: 2.123 } },
    { case: "scan", commit: "fedcba987654+", ratios: { fast: 3 } },
  ]);
  const text = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  expect(parseHistory(text)).toEqual(entries);
});

test("the page has a chart for each case with goals, and a line for each run", () => {
  const page = historyPage(
    entries,
    new Map([
      ["scan", "Scans"],
      ["quiet", "No goals"],
    ]),
  );
  expect(page).toContain("## Scans\n\n![The goals of the case scan, by commit](history/scan.svg)");
  expect(page).not.toContain("No goals");
  expect(page).toMatch(/^\| `fedcba987654\+` \| \d{4}-\d\d-\d\d \| .*, \d+ cores, Node v\d+.* \| scan \(\d/m);
});

test("the chart is an image with a description, the commits and the goals", () => {
  const svg = historyChart("scan", entries);
  expect(svg).toMatch(/^<svg role="img" [^>]*>\n<title>Goals of scan by commit<\/title>/);
  for (const text of ["abc123d", "fedcba9", "fast"]) {
    expect(svg).toContain(`>${text}</text>`);
  }
});
