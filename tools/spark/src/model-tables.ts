/** The constants of the model and its results, as Markdown tables. */
import type { MeasuredConstants } from "./constants.js";
import { type Cluster, type Constants, type Estimate, estimate, TERM_NAMES, type TermName } from "./model.js";

const BEGIN = "<!-- model -->";
const END = "<!-- end of model -->";
const TERA = 1e12;
const MEGA = 1e6;

const BASE: Cluster = {
  bytes: 10 * TERA,
  executors: 50,
  cores: 4,
  throughput: 600 * MEGA,
  splitBytes: 256 * 1024 * 1024,
  blockBytes: 256 * 1024,
};

const CASES: readonly (readonly [name: string, change: Partial<Cluster>])[] = [
  ["50 executors of 4 cores, 600 MB/s each", {}],
  ["the same, 100 MB/s each", { throughput: 100 * MEGA }],
  ["the same, splits of 32 MiB", { splitBytes: 32 * 1024 * 1024 }],
  ["50 executors of 16 cores, 600 MB/s each", { cores: 16 }],
  ["200 executors of 4 cores, 600 MB/s each", { executors: 200 }],
];

const TERMS: Readonly<Record<TermName, string>> = {
  plan: "planning",
  read: "reading",
  compute: "computing",
  write: "writing",
  start: "starting workers",
  end: "wait for the last splits",
};

/** Returns a page with new tables between its two marks. */
export function withModel(page: string, constants: MeasuredConstants): string {
  const from = page.indexOf(BEGIN) + BEGIN.length;
  const to = page.indexOf(END);
  return `${page.slice(0, from)}\n\n${modelTables(constants)}\n\n${page.slice(to)}`;
}

export function modelTables(measured: MeasuredConstants): string {
  const constants: Constants = {
    bytesPerCore: measured.bytesPerCore.value,
    startSeconds: measured.startSeconds.value,
    plannedBlocks: measured.plannedBlocks.value,
    written: measured.written.value,
  };
  const whole = (value: number): string => Math.round(value).toLocaleString("en");
  const first = estimate(BASE, constants);
  return [
    "| constant | value | measured by |",
    "| --- | ---: | --- |",
    `| stored bytes that one core converts to Parquet | ${whole(constants.bytesPerCore / MEGA)} MB/s | ${measured.bytesPerCore.source} |`,
    `| Parquet bytes per stored byte | ${constants.written.toFixed(2)} | ${measured.written.source} |`,
    `| startup and exit of a worker | ${constants.startSeconds.toFixed(2)} s | ${measured.startSeconds.source} |`,
    `| blocks planned | ${whole(constants.plannedBlocks)} a second | ${measured.plannedBlocks.source} |`,
    "",
    `| 10 TB, ${whole(first.splits)} splits by default | ${TERM_NAMES.map((name) => TERMS[name]).join(" | ")} | in all | longest |`,
    `| --- | ${TERM_NAMES.map(() => "---:").join(" | ")} | ---: | --- |`,
    ...CASES.map(([name, change]) => row(name, estimate({ ...BASE, ...change }, constants))),
  ].join("\n");
}

function row(name: string, { terms, minimum, maximum, longest }: Estimate): string {
  const cells = TERM_NAMES.map((term) => timeText(terms[term]));
  return `| ${name} | ${cells.join(" | ")} | ${timeText(minimum)} to ${timeText(maximum)} | ${TERMS[longest]} |`;
}

function timeText(seconds: number): string {
  return seconds < 120 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
