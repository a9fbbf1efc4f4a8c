/** Writes the page of figures from the recorded runs, case by case, including losses. */
import type { BenchGoal, BenchResult, BenchRow } from "../bench-case.js";
import type { Throttle } from "../machine/busy-loops.js";
import type { BenchReport } from "../report.js";
import { remarks } from "./remarks.js";
import { shown } from "./shown.js";
import { throttledGoals } from "./throttled-goals.js";

const INTRODUCTION = `# Figures, losses included

## Method

\`pnpm bench:record\` writes this page from runs of \`pnpm bench\`. Each case runs in its own process, and every answer is
checked. Ratios compare with the peer in the head of the table, or in the same row. Goals are ratios between two programs that run in turn,
or limits of memory and requests, so they hold on machines of any speed. Figures that miss their goal are **bold**.
[Figures over time](figures-over-time.md) shows the ratios of earlier commits.

To measure on your machine, run the command above a table. It prints the same table, with your machine and versions.`;

const LIMITS = `## Limits

- Rates differ by a third between runs on a shared machine. Compare ratios, and run a case three times before you trust a small one.
- The machine of the records since 2026-11-29, 11:00 is a fast one: the first touch of a page of memory takes 1.5 microseconds. On the one
  before, with a processor of the same name, it took 12 to 13. Programs that allocate much are 2 to 4 times faster here, among them
  hyparquet, parquet-wasm and Arrow, so ratios to them fell. Both are virtual machines with two cores.
- The date above a table is the date of its run. Tables of different dates can belong to different commits.`;

/** @param throttled reports of runs beside busy loops */
export function figuresPage(
  reports: readonly BenchReport[],
  { last = [], all = [] }: Partial<Record<Throttle, readonly BenchReport[]>> = {},
): string {
  const sections = reports.flatMap((report) => report.results.map((result) => section(report, result)));
  const compared = [throttledGoals(reports, last, "last"), throttledGoals(reports, all, "all")];
  const parts = [INTRODUCTION, ...sections, ...compared.filter((part) => part !== ""), LIMITS];
  return `${parts.join("\n\n")}\n`;
}

function section({ date, machine, versions }: BenchReport, result: BenchResult): string {
  const { name, title, goals, notes = [] } = result;
  const measured = `\`npm run bench -- --only ${name}\`, ${date.slice(0, 10)}, ${machine.cpu}, ${machine.cores} cores, Node ${versions["node"]}, load ${machine.load.toFixed(1)}.`;
  const missed = goals.filter(({ met }) => !met);
  const verdict =
    goals.length === 0 ? [] : [`${goals.length - missed.length} of ${goals.length} goals are met.`];
  return [
    `## ${title}`,
    measured,
    table(result),
    ...notes,
    [...verdict, ...(missed.length > 0 ? ["Missed:"] : [])].join(" "),
    ...(missed.length > 0 ? [missed.map(missedLine).join("\n")] : []),
    ...(remarks[name] === undefined ? [] : [remarks[name]]),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
}

const missedLine = ({ text, wanted, measured }: BenchGoal): string =>
  `- ${text}: **${shown(measured)}**, goal ${shown(wanted)}`;

/** Contenders in columns if every label is `contender: task`, otherwise one line each. */
function table(result: BenchResult): string {
  const { rows } = result;
  const split = rows.map(({ contender }) => /^(.*?): (.*)$/s.exec(contender));
  const tasks = new Set(split.map((parts) => parts?.[2]));
  return split.every((parts) => parts !== null) && tasks.size < rows.length
    ? sideBySide(result, [...tasks] as string[])
    : oneLineEach(result);
}

function oneLineEach({ rows, unit, peer }: BenchResult): string {
  const lines = rows.map((row) => {
    const beside = row.peer === undefined ? "" : ` × ${escaped(row.peer)}`;
    return `| ${escaped(row.contender)} | ${rateOf(row, unit)} | ${verdictOf(row)}${beside} |`;
  });
  return [`| what | rate | × ${escaped(peer)} |`, "| --- | ---: | ---: |", ...lines].join("\n");
}

function sideBySide({ rows, unit, peer }: BenchResult, tasks: readonly string[]): string {
  const contenders = [...new Set(rows.map(({ contender }) => contender.slice(0, contender.indexOf(": "))))];
  const rowOf = (contender: string, task: string): BenchRow | undefined =>
    rows.find((row) => row.contender === `${contender}: ${task}`);
  const judged = contenders.find((contender) =>
    tasks.some((task) => rowOf(contender, task)?.wanted !== undefined),
  );
  const lines = tasks.map((task) => {
    const cells = contenders.map((contender) => {
      const row = rowOf(contender, task);
      return row === undefined ? "" : rateOf(row, unit);
    });
    const row = judged === undefined ? undefined : rowOf(judged, task);
    return [escaped(task), ...cells, ...(judged === undefined ? [] : [row ? verdictOf(row) : ""])];
  });
  const head = ["what", ...contenders.map(escaped), ...(judged === undefined ? [] : [`× ${escaped(peer)}`])];
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? "---" : "---:"))), ...lines.map(line)].join("\n");
}

const rateOf = ({ rate, unit }: BenchRow, usual: string): string =>
  `${shown(rate)} ${unit ?? (usual.includes(" or ") ? "" : usual)}`.trim();

function verdictOf({ ratio, wanted }: BenchRow): string {
  if (ratio === undefined) {
    return "";
  }
  if (wanted === undefined) {
    return shown(ratio);
  }
  return ratio >= wanted ? `${shown(ratio)} (${wanted})` : `**${shown(ratio)}** (${wanted})`;
}

const escaped = (text: string): string => text.replaceAll("|", "\\|");
