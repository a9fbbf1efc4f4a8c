/** Compares the goals of recorded runs with those of runs beside busy loops. */
import type { BenchGoal } from "../bench-case.js";
import type { Throttle } from "../machine/busy-loops.js";
import type { BenchReport } from "../report.js";
import { remarks } from "./remarks.js";
import { shown } from "./shown.js";

interface ComparedGoal {
  readonly recorded: BenchGoal;
  readonly throttled: BenchGoal;
}

const TITLES: Readonly<Record<Throttle, string>> = {
  last: "Goals beside a busy loop on one core",
  all: "Goals at half speed",
};

/** A section of the page of figures; empty without throttled runs. */
export function throttledGoals(
  recorded: readonly BenchReport[],
  throttled: readonly BenchReport[],
  throttle: Throttle,
): string {
  const pairs = comparedGoals(recorded, throttled);
  if (pairs.length === 0) {
    return "";
  }
  const metBy = (run: keyof ComparedGoal): number => pairs.filter((pair) => pair[run].met).length;
  const changed = pairs.filter((pair) => pair.recorded.met !== pair.throttled.met);
  const cases = throttled.flatMap(({ results }) => results.map(({ name }) => name));
  const days = [...new Set(throttled.map(({ date }) => date.slice(0, 10)))].sort();
  const missing = recorded
    .flatMap(({ results }) => results.map(({ name }) => name))
    .filter((name) => !cases.includes(name));
  const remark = remarks[`throttled ${throttle}`];
  const cores =
    throttle === "last"
      ? "beside an endless loop, which occupies the last core (`taskset`)"
      : "while a loop of real-time priority takes half of each core (`chrt`, as root)";
  return [
    `## ${TITLES[throttle]}`,
    `\`npm run bench:record -- --throttled ${throttle}\` measures ${cores}. Runs of ${days.join(", ")}.`,
    `Throttled, ${metBy("throttled")} of ${pairs.length} goals are met. In the tables above, which can be of other commits, it is ${metBy("recorded")} of these.`,
    ...(missing.length === 0 ? [] : [namesOf(cases, missing)]),
    ...(changed.length === 0 ? [] : [table(changed)]),
    ...(remark === undefined ? [] : [remark]),
  ].join("\n\n");
}

/** The shorter one of the lists of cases with and without a throttled run. */
function namesOf(cases: readonly string[], missing: readonly string[]): string {
  return cases.length < missing.length
    ? `The cases are ${cases.join(", ")}.`
    : `Without a throttled run: ${missing.join(", ")}.`;
}

function comparedGoals(recorded: readonly BenchReport[], throttled: readonly BenchReport[]): ComparedGoal[] {
  const known = new Map(goalsOf(recorded));
  return goalsOf(throttled).flatMap(([key, goal]) => {
    const same = known.get(key);
    return same === undefined ? [] : [{ recorded: same, throttled: goal }];
  });
}

/** By case and text: different cases can have goals with the same text. */
function goalsOf(reports: readonly BenchReport[]): [string, BenchGoal][] {
  return reports.flatMap(({ results }) =>
    results.flatMap(({ name, goals }) =>
      goals.map((goal): [string, BenchGoal] => [`${name}: ${goal.text}`, goal]),
    ),
  );
}

function table(pairs: readonly ComparedGoal[]): string {
  const cell = ({ measured, met }: BenchGoal): string => (met ? shown(measured) : `**${shown(measured)}**`);
  const lines = pairs.map(
    ({ recorded, throttled }) =>
      `| ${recorded.text} | ${shown(recorded.wanted)} | ${cell(recorded)} | ${cell(throttled)} |`,
  );
  const head = "| goals met in only one of the runs | goal | above | throttled |";
  return [head, "| --- | ---: | ---: | ---: |", ...lines].join("\n");
}
