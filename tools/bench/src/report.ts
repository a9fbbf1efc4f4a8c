/** The report: one table per case, or one JSON document. */
import { createRequire } from "node:module";
import { cpus, loadavg, totalmem } from "node:os";
import Table from "cli-table3";
import type { BenchResult } from "./bench-case.js";

export interface BenchReport {
  readonly command: string;
  readonly date: string;
  readonly machine: {
    readonly cpu: string;
    readonly cores: number;
    readonly memoryGiB: number;
    /** Average number of running or waiting processes over the last 15 minutes, including this benchmark. */
    readonly load: number;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly scale: number;
  readonly results: readonly BenchResult[];
}

const MEASURED = [
  "cfile",
  "hyparquet",
  "hyparquet-writer",
  "parquet-wasm",
  "apache-arrow",
  "@duckdb/node-api",
  "@node-rs/crc32",
  "pako",
  "lz4js",
  "lz4-napi",
  "snappyjs",
  "snappy",
];

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (require(`${folder}/${name}/package.json`) as { version: string }).version;
    } catch {
      // Not installed in this folder.
    }
  }
  return "unknown";
}

export function makeReport(results: readonly BenchResult[], scale: number, command: string): BenchReport {
  const processors = cpus();
  return {
    command,
    date: new Date().toISOString(),
    machine: {
      cpu: processors[0]?.model ?? "unknown",
      cores: processors.length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      load: loadavg()[2] ?? Number.NaN,
    },
    versions: {
      node: process.version,
      ...Object.fromEntries(MEASURED.map((name) => [name, versionOf(name)])),
    },
    scale,
    results,
  };
}

const shown = (value: number): string =>
  value >= 1000 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3);

const wantedVerdict = (ratio: number, wanted: number): string =>
  `${ratio >= wanted ? "met" : "MISSED"}: ≥ ${wanted}×`;

export function formatResult(result: BenchResult): string {
  const table = new Table({
    head: ["", "time (ms)", "fastest", result.unit, `× ${result.peer}`],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [] },
    // No lines between rows: some tables are long.
    chars: { mid: "", "left-mid": "", "mid-mid": "", "right-mid": "" },
  });
  for (const { contender, milliseconds, fastest, rate, unit, peer, ratio, wanted } of result.rows) {
    const times = ratio === undefined ? "" : `${shown(ratio)}×${peer === undefined ? "" : ` ${peer}`}`;
    const verdict = ratio === undefined || wanted === undefined ? "" : ` (${wantedVerdict(ratio, wanted)})`;
    table.push([
      contender,
      shown(milliseconds),
      fastest === undefined ? "" : shown(fastest),
      unit === undefined ? shown(rate) : `${shown(rate)} ${unit}`,
      times + verdict,
    ]);
  }
  const goals = result.goals.map(
    ({ text, wanted, measured, met }) =>
      `  ${met ? "met" : "MISSED"}: ${text}: ${shown(measured)} (goal ${wanted})`,
  );
  const notes = (result.notes ?? []).map((note) => `  ${note}`);
  return [`${result.title} (${result.name})`, table.toString(), ...notes, ...goals, ""].join("\n");
}

/** `40 of 42 goals met`. */
export function goalsMet(results: readonly BenchResult[]): string {
  const goals = results.flatMap((result) => result.goals);
  return `${goals.filter(({ met }) => met).length} of ${goals.length} goals met`;
}

export function formatMachine({ machine, versions, command }: BenchReport): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, load ${machine.load.toFixed(1)}; ${list.join(", ")}\n${command}\n`;
}
