/**
 * `node dist/plot.js RESULT.json OUT.svg`: plots the `scaling` case of a `--json` report: the cost of one
 * operation by number of rows in the file, with logarithmic axes.
 */
import { readFileSync, writeFileSync } from "node:fs";
import type { BenchResult } from "./bench-case.js";
import { svgChart } from "./figures/chart.js";

const [from, to] = process.argv.slice(2);
if (from === undefined || to === undefined) {
  process.stderr.write("node dist/plot.js RESULT.json OUT.svg\n");
  process.exit(2);
}
const report = JSON.parse(readFileSync(from, "utf8")) as { readonly results: readonly BenchResult[] };
const scaling = report.results.find(({ name }) => name === "scaling");
if (scaling === undefined) {
  process.stderr.write(`${from} has no case "scaling"\n`);
  process.exit(1);
}
/** Microseconds by task: rows of the file and cost. */
const tasks = new Map<string, [number, number][]>();
for (const { contender, milliseconds } of scaling.rows) {
  const [, size, task] = /^([\d,]+) rows, (.*)$/.exec(contender) ?? [];
  if (size !== undefined && task !== undefined) {
    const points = tasks.get(task) ?? [];
    points.push([Number(size.replaceAll(",", "")), milliseconds * 1000]);
    tasks.set(task, points);
  }
}
const svg = svgChart(
  "Cost by rows of the file",
  { width: 720, height: 420 },
  {
    title: { text: "Cost by rows of the file (sorted int32, bitshuffle, warm)", left: "center" },
    legend: { bottom: 0 },
    grid: { left: 70, right: 30, top: 50, bottom: 70 },
    xAxis: { type: "log", name: "rows", nameLocation: "middle", nameGap: 26, min: 10_000 },
    yAxis: { type: "log", name: "µs" },
    series: [...tasks].map(([name, data]) => ({ type: "line", name, data, symbolSize: 7 })),
  },
);
writeFileSync(to, svg);
