/** Writes RELIABILITY.md from the results of the parts and the journal of continued runs. */
import type { PartResult } from "./part.js";
import { type ContinuedRun, joinDirectories, noDirectories, totalOfHarnesses } from "./run-journal.js";

export interface DonePart extends PartResult {
  readonly name: string;
  readonly commit: string;
  readonly date: string;
  readonly node: string;
  readonly command: string;
  /** `undefined` for results of an earlier run. */
  readonly seconds?: number;
}

interface Done {
  /** Names of all parts. */
  readonly all: readonly string[];
  readonly parts: readonly DonePart[];
  readonly runs: readonly ContinuedRun[];
}

const number = (value: number): string => value.toLocaleString("en-US");
const CONTINUE = "pnpm reliability --continue --seconds N";

export function reliabilityText({ all, parts, runs }: Done): string {
  const missing = all.filter((name) => !parts.some((part) => part.name === name));
  const faults = [...parts, ...runs].flatMap((each) => each.faults);
  const lines = [
    "# Reliability",
    "",
    "## Method",
    "",
    "Written by `pnpm reliability` from the latest result of each part and the journal of continued runs, in",
    "`tools/fuzz/reliability`. The same seed gives the same mutated inputs in the same order. `npm test` runs a",
    "short version of each line.",
    "",
    "## Results",
    "",
    "| test | cases | result | date, commit |",
    "| --- | ---: | --- | --- |",
    ...parts.flatMap(({ tried, date, commit }) =>
      tried.map(({ what, often, found }) => `| ${what} | ${often} | ${found} | ${date}, \`${commit}\` |`),
    ),
    "",
    ...(missing.length > 0 ? [`Not run, or not finished: ${missing.join(", ")}.`, ""] : []),
    ...continued(runs),
    "## Commands",
    "",
    "| part | command | seconds |",
    "| --- | --- | ---: |",
    ...parts.map(
      ({ name, command, seconds, node }) =>
        `| ${name} | \`${command}\` with Node ${node} | ${seconds === undefined ? "" : number(seconds)} |`,
    ),
    "",
    ...parts.flatMap(({ sections = [] }) => sections.flatMap((section) => [section, ""])),
    "## Faults",
    "",
    ...(faults.length > 0 ? faults.map((fault) => `- ${fault}`) : ["None in these runs."]),
    "",
    "Bytes that broke something, or were crafted to, are in `fixtures/bad/`, each with a description.",
    "",
    "## Limits",
    "",
    "- A flipped bit in a file without checksums can change a value, and no reader can detect it.",
    "- Power cuts and failing disks are simulated. A disk that lies about synced data is not part of the simulation.",
    "- Where two damaged logs contradict each other, or one lost its end and nothing else on the disk shows it, no reader can know which writes were answered.",
    "- If all masters of a cluster have lost the catalog, a tablet that no directory has is only known by its hash bucket. A whole range may be missing; commands and `cfile kudu ksck` say that the catalog is damaged.",
    "- Mutations cover what the harnesses reach; the numbers count inputs, not branches. They are not guided by coverage: a version that kept and changed the inputs that reached new blocks (V8's precise coverage) was measured with 39 harnesses on 2026-11-24. In the same processor time it reached as many blocks or fewer, apart from differences that other seeds reversed, so it was not kept.",
    "",
  ];
  return lines.join("\n");
}

/** Counts over all continued runs, and a line per run. */
function continued(runs: readonly ContinuedRun[]): string[] {
  if (runs.length === 0) {
    return [];
  }
  const totals = [...totalOfHarnesses(runs)];
  const inputs = totals.reduce((sum, [, { to }]) => sum + to, 0);
  const crashes = totals.reduce((sum, [, own]) => sum + own.crashes, 0);
  const directories = runs.map((run) => run.directories).reduce(joinDirectories, noDirectories(0));
  const {
    unchanged = 0,
    refused = 0,
    "torn log": torn = 0,
    "shorter log": shorter = 0,
    "older state": older = 0,
    "older state, listed": listed = 0,
  } = directories.results;
  const wrong = runs.reduce((sum, { faults }) => sum + faults.length, 0) - crashes;
  return [
    "## Counted over all runs",
    "",
    `\`${CONTINUE}\` adds cases that no run has tried before. Times are of one processor.`,
    "",
    "| what | cases | result |",
    "| --- | ---: | --- |",
    `| Inputs with mutated structure and corrected checksums, in ${totals.length} harnesses | ${number(inputs)} | ${crashes} untyped exceptions, traps, time-outs (2 s) or cases above 64 MiB |`,
    `| Directories of Kudu servers with one damaged file (${Object.entries(directories.kinds)
      .map(([kind, count]) => `${kind} ${number(count)}`)
      .join(
        ", ",
      )}): all rows, or a typed error; recovered rows are rows that it had, and the accounts have every missing one | ${number(directories.to)} | ${wrong} wrong; ${number(unchanged)} with all rows, ${number(refused)} with a typed error, ${number(torn)} read up to the torn last entry of a log, ${number(shorter)} up to a cut between two entries, which no reader can see, ${number(older)} in an older state that the check reports or the log completes, ${number(listed)} in one whose newer blocks the check only lists; ${number(directories.recovered)} tablets recovered in part |`,
    "",
    "| date, commit, Node | seed | mutated inputs | directories | processor time | faults |",
    "| --- | ---: | ---: | ---: | ---: | ---: |",
    ...runs.map(({ date, commit, node, seed, harnesses, directories: own, faults }) => {
      const each = Object.values(harnesses);
      const count = each.reduce((sum, { from, to }) => sum + to - from, 0);
      const seconds = each.reduce((sum, run) => sum + run.seconds, own.seconds);
      return `| ${date}, \`${commit}\`, ${node} | ${seed} | ${number(count)} | ${number(own.to - own.from)} | ${number(Math.round(seconds))} s | ${faults.length} |`;
    }),
    "",
    "| harness | mutated inputs | results | refusals (`CFileError`) | inputs per second |",
    "| --- | ---: | ---: | ---: | ---: |",
    ...totals.map(
      ([name, { to, results, refusals, seconds }]) =>
        `| ${name} | ${number(to)} | ${number(results)} | ${number(refusals)} | ${number(Math.round(to / Math.max(seconds, 0.001)))} |`,
    ),
    "",
  ];
}
