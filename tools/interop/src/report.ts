/** The results of a run, by system, and the page `docs/interop.md` with the last results of each system. */
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { addCoverage, type Coverage, coverageLines, coverageOf } from "./coverage.js";

export type SystemName =
  | "kudu"
  | "cluster"
  | "restore"
  | "hbase"
  | "hbase-table"
  | "hudi"
  | "hudi-table"
  | "parquet"
  | "spark"
  | "iceberg";
export const SYSTEMS: readonly SystemName[] = [
  "kudu",
  "cluster",
  "restore",
  "hbase",
  "hbase-table",
  "hudi",
  "hudi-table",
  "parquet",
  "spark",
  "iceberg",
];

/** One comparison. */
export interface CheckResult {
  readonly what: string;
  /** Compared files, snapshots or diffs. */
  readonly cases: number;
  /** Rows or cells in them. */
  readonly rows: number;
  /** Problems, one per line. */
  readonly failures: readonly string[];
  /** Additional counts, by label. */
  readonly counts?: Readonly<Record<string, number>> | undefined;
  /** Whether it concerns the other system and not cfile. */
  readonly isFinding?: boolean | undefined;
  /** The features of the system that occurred in the round. */
  readonly occurred?: Coverage | undefined;
}

/** Results of all rounds of a system. */
export interface SystemReport {
  readonly system: SystemName;
  readonly version: string;
  readonly firstSeed: number;
  readonly rounds: number;
  readonly seconds: number;
  readonly checks: readonly CheckResult[];
  /** Features that occurred in all checks together. */
  readonly occurred?: Coverage | undefined;
  /** Seeds with problems. */
  readonly failedSeeds: readonly number[];
}

const RESULTS = fileURLToPath(new URL("../results/", import.meta.url));
const PAGE = fileURLToPath(new URL("../../../docs/interop.md", import.meta.url));
const FINDINGS = fileURLToPath(new URL("../findings.md", import.meta.url));
const FIXED = fileURLToPath(new URL("../fixed.md", import.meta.url));

/** Adds the results of a round to earlier ones. */
export function addChecks(before: readonly CheckResult[], added: readonly CheckResult[]): CheckResult[] {
  const sums = new Map(before.map((check) => [check.what, check]));
  for (const check of added) {
    const known = sums.get(check.what);
    const counts: Record<string, number> = { ...known?.counts };
    for (const [name, count] of Object.entries(check.counts ?? {})) {
      counts[name] = (counts[name] ?? 0) + count;
    }
    const { occurred: _, ...kept } = check;
    sums.set(check.what, {
      ...kept,
      counts,
      cases: (known?.cases ?? 0) + check.cases,
      rows: (known?.rows ?? 0) + check.rows,
      failures: [...(known?.failures ?? []), ...check.failures],
    });
  }
  return [...sums.values()];
}

/** The first seed after those of a report. */
export function seedAfter({ firstSeed, rounds }: SystemReport): number {
  return firstSeed + rounds;
}

/** A report with the results of one more round, whose seed is the next one. */
export function addRound(report: SystemReport, added: readonly CheckResult[], seconds: number): SystemReport {
  const failed = added.some(({ failures }) => failures.length > 0);
  return {
    ...report,
    rounds: report.rounds + 1,
    seconds,
    checks: addChecks(report.checks, added),
    occurred: addCoverage(report.occurred ?? {}, coverageOf(added)),
    failedSeeds: failed ? [...report.failedSeeds, seedAfter(report)] : report.failedSeeds,
  };
}

/** The last documented report of a system, or the longest. */
export async function keptReport(
  system: SystemName,
  which: "last" | "longest" = "last",
): Promise<SystemReport | undefined> {
  const path = pathOf(system, which);
  return existsSync(path) ? JSON.parse(await readFile(path, "utf8")) : undefined;
}

function pathOf(system: SystemName, which: "last" | "longest"): string {
  return join(RESULTS, which === "last" ? `${system}.json` : `${system}.longest.json`);
}

/**
 * Saves a report as the last one of its system, and also as the longest if it is longer; then writes the page of all systems.
 */
export async function documentReport(report: SystemReport): Promise<void> {
  await mkdir(RESULTS, { recursive: true });
  const text = `${JSON.stringify(report, undefined, 2)}\n`;
  await writeFile(pathOf(report.system, "last"), text);
  const longest = await keptReport(report.system, "longest");
  if (longest === undefined || longest.rounds <= report.rounds) {
    await writeFile(pathOf(report.system, "longest"), text);
  }
  const reports: SystemReport[] = [];
  for (const system of SYSTEMS) {
    const last = await keptReport(system);
    const longest = await keptReport(system, "longest");
    if (longest !== undefined && JSON.stringify(longest) !== JSON.stringify(last)) {
      reports.push(longest);
    }
    if (last !== undefined) {
      reports.push(last);
    }
  }
  await writeFile(PAGE, pageOf(reports, await readFile(FINDINGS, "utf8"), await readFile(FIXED, "utf8")));
}

function pageOf(reports: readonly SystemReport[], findings: string, fixed: string): string {
  const rows = reports.flatMap(({ system, version, firstSeed, rounds, checks }) =>
    checks.map(({ what, cases, rows: cells, failures, counts, isFinding }) => {
      const detail = Object.entries(counts ?? {}).map(
        ([name, count]) => `${count.toLocaleString("en")} ${name}`,
      );
      const result = isFinding ? "see below" : failures.length === 0 ? "pass" : `${failures.length} wrong`;
      const seeds = rounds === 1 ? String(firstSeed) : `${firstSeed}–${firstSeed + rounds - 1}`;
      return `| ${[system, version, seeds, what, cases.toLocaleString("en"), cells.toLocaleString("en"), [result, ...detail].join("; ")].join(" | ")} |`;
    }),
  );
  const coverage = reports.flatMap(({ system, occurred, firstSeed, rounds }) =>
    occurred === undefined || Object.keys(occurred).length === 0
      ? []
      : [
          `## Coverage: ${system}, seeds ${firstSeed}–${firstSeed + rounds - 1}`,
          "",
          "| feature | count |",
          "| --- | --- |",
          ...coverageLines(occurred).map((line) => `| ${line.replace(": ", " | ")} |`),
          "",
        ],
  );
  return [
    "# Interoperability tests",
    "",
    "`pnpm interop --document` writes this page. It runs the real systems with random data, and compares their results with those of cfile.",
    "Each round has a seed: `pnpm interop --only kudu --seed 7 --rounds 1` repeats the round of seed 7.",
    "",
    "| system | version | seeds | test | cases | rows or cells | result |",
    "| --- | --- | --- | --- | ---: | ---: | --- |",
    ...rows,
    "",
    "For Kudu, a case is a snapshot of a tablet, a diff between two snapshots, or a file. For a cluster, it is also the latest state of",
    "a table. Rounds of a cluster take turns with the versions; `tools/interop/README.md` describes them. Errors for lost parts are",
    "those of tablets whose only replica was on a missing or damaged disk. After a restart, Kudu may number the rows of a table with a",
    "non-unique key differently (see below). Its client reads such tables again at the end of a round. If its answers then contradict each",
    "other, or `kudu cluster ksck --checksum_scan` finds that replicas differ, the table is not compared; the coverage counts these tables.",
    "",
    "A cut Parquet file can end in a row group whose pages fit several columns: it is left out as ambiguous. The table counts the complete",
    "rows in such row groups, from seed 24 on. `cfile recover --row-group-rows N` states where such row groups end.",
    "",
    ...coverage,
    fixed.trim(),
    "",
    findings.trim(),
    "",
  ].join("\n");
}
