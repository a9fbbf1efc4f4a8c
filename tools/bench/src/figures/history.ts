/**
 * Measurements of recorded runs for each goal, over time. `results/history.ndjson` has a line for each case of each run, oldest first:
 * `{"date":…,"commit":…,"machine":…,"node":…,"case":…,"ratios":{GOAL:MEASURED,…}}`.
 */
import type { BenchReport } from "../report.js";
import { svgChart } from "./chart.js";

export interface HistoryEntry {
  /** Date of the run. */
  readonly date: string;
  /** The commit that was built, followed by `+` if files were changed. */
  readonly commit: string;
  readonly machine: BenchReport["machine"];
  readonly node: string;
  /** Name of the benchmark case. */
  readonly case: string;
  /** Measured ratios, by the text of the goal. */
  readonly ratios: Readonly<Record<string, number>>;
}

const WIDTH = 980;
const PLOT_WIDTH = 440;
const LINE_HEIGHT = 20;
const MIN_HEIGHT = 300;
/** Symbols that distinguish the lines, because colors repeat. */
const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect"];

const INTRODUCTION = `# Figures over time

\`pnpm bench:record\` adds each run to \`tools/bench/results/history.ndjson\`, with its machine and commit, and draws this page. A line is a
goal of \`npm run bench\`: most are ratios between two programs that run in turn, so machines of different speed can be compared. The
[figures](figures.md) have the goals and all numbers of the last run. \`npm run bench -- --against REF\` compares two commits directly.`;

/** The entries of a report; cases without goals have none. */
export function historyOf({ date, machine, results, versions }: BenchReport, commit: string): HistoryEntry[] {
  return results
    .filter(({ goals }) => goals.length > 0)
    .map(({ name, goals }) => ({
      date,
      commit,
      machine,
      node: versions["node"] ?? "",
      case: name,
      ratios: Object.fromEntries(goals.map(({ text, measured }) => [text, Number(measured.toPrecision(4))])),
    }));
}

export function parseHistory(text: string): HistoryEntry[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as HistoryEntry);
}

/** The page: a chart for each case, then the runs. */
export function historyPage(entries: readonly HistoryEntry[], cases: ReadonlyMap<string, string>): string {
  const drawn = [...cases].filter(([name]) => entries.some((entry) => entry.case === name));
  const charts = drawn.map(
    ([name, title]) => `## ${title}\n\n![The goals of the case ${name}, by commit](history/${name}.svg)`,
  );
  return `${[INTRODUCTION, ...charts, "## Runs", runsTable(entries)].join("\n\n")}\n`;
}

function runsTable(entries: readonly HistoryEntry[]): string {
  const runs = new Map<string, string[]>();
  for (const { commit, date, machine, node, case: name } of entries) {
    const run = `| \`${commit}\` | ${date.slice(0, 10)} | ${machine.cpu}, ${machine.cores} cores, Node ${node} |`;
    runs.set(run, [...(runs.get(run) ?? []), `${name} (${machine.load.toFixed(1)})`]);
  }
  const lines = [...runs].map(([run, cases]) => `${run} ${cases.join(", ")} |`);
  return [
    "| commit | date | machine | cases, with the load of the machine |",
    "| --- | --- | --- | --- |",
    ...lines,
  ].join("\n");
}

/** The chart of one case: the measured ratios of its goals, by run. */
export function historyChart(name: string, entries: readonly HistoryEntry[]): string {
  const runs = entries.filter((entry) => entry.case === name);
  const goals = [...new Set(runs.flatMap(({ ratios }) => Object.keys(ratios)))];
  const size = { width: WIDTH, height: Math.max(MIN_HEIGHT, LINE_HEIGHT * goals.length + 60) };
  return svgChart(`Goals of ${name} by commit`, size, {
    legend: {
      left: PLOT_WIDTH + 30,
      top: 20,
      orient: "vertical",
      itemHeight: 8,
      textStyle: { fontSize: 11 },
    },
    grid: { left: 60, right: WIDTH - PLOT_WIDTH, top: 20, bottom: 40 },
    xAxis: { type: "category", data: runs.map(({ commit }) => commit.slice(0, 7)) },
    yAxis: { type: "log", axisLabel: { formatter: (value: number) => String(Number(value.toPrecision(2))) } },
    series: goals.map((goal, i) => ({
      type: "line",
      name: goal,
      symbol: SYMBOLS[i % SYMBOLS.length],
      symbolSize: 7,
      connectNulls: true,
      data: runs.map(({ ratios }) => ratios[goal] ?? null),
    })),
  });
}
