/** The report: a table a case for people, or one JSON document. */
import { createRequire } from "node:module";
import { cpus, totalmem } from "node:os";
import Table from "cli-table3";
import type { BenchResult } from "./bench-case.js";

export interface BenchReport {
  readonly command: string;
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryGiB: number };
  readonly versions: Readonly<Record<string, string>>;
  readonly scale: number;
  readonly results: readonly BenchResult[];
}

const MEASURED = ["cfile", "hyparquet", "hyparquet-writer", "parquet-wasm", "apache-arrow"];

function versionOf(name: string): string {
  const require = createRequire(import.meta.url);
  for (const folder of require.resolve.paths(name) ?? []) {
    try {
      return (require(`${folder}/${name}/package.json`) as { version: string }).version;
    } catch {
      // Not in this folder.
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

export function formatResult(result: BenchResult): string {
  const table = new Table({
    head: ["", "time (ms)", result.unit, `× ${result.peer}`],
    colAligns: ["left", "right", "right", "right"],
    style: { head: [], border: [] },
  });
  for (const { contender, milliseconds, rate, ratio } of result.rows) {
    table.push([contender, shown(milliseconds), shown(rate), `${shown(ratio)}×`]);
  }
  const goals = result.goals.map(
    ({ text, wanted, measured, met }) =>
      `  ${met ? "met" : "MISSED"}: ${text}: ${shown(measured)} (goal ${wanted})`,
  );
  return [`${result.title} (${result.name})`, table.toString(), ...goals, ""].join("\n");
}

export function formatMachine({ machine, versions, command }: BenchReport): string {
  const list = Object.entries(versions).map(([name, version]) => `${name} ${version}`);
  return `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB; ${list.join(", ")}\n${command}\n`;
}
