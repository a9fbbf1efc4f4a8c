/** `cfile hbase verify`: checks tables and snapshots for damage. */
import { isCFileError, toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { HBaseRoot, HBaseTable } from "@cfile/hbase";
import type { RegionBoundaryProblem, TableReport } from "@cfile/hbase/verify";
import { JSON_OPTION } from "../options/options.js";
import { command } from "../program/command.js";
import type { CliContext } from "../program/context.js";
import { combineExitCodes, EXIT, exitCodeOf } from "../program/exit-code.js";
import { exclusive } from "../program/option.js";
import { problemText } from "../program/output/error-text.js";
import { counted } from "../records/quantity.js";
import { openRoot, ROOT, SOURCE } from "./hbase-options.js";

export const verify = command({
  about:
    "Checks that regions adjoin, that every link and reference leads to a file, every block of every file, MOB values and the write-ahead log. Exit code 3 when something is damaged or missing.",
  args: { root: ROOT },
  options: { ...SOURCE, json: JSON_OPTION },
  examples: [
    ["Check all tables and snapshots", "cfile hbase verify /hbase"],
    ["Check one snapshot", "cfile hbase verify /hbase --snapshot s1"],
  ],
  run: async (context, { root: path, table, snapshot, log, json }) => {
    exclusive({ "--table": table, "--snapshot": snapshot });
    const root = await openRoot(context, path);
    const isAll = table === undefined && snapshot === undefined;
    const tables = isAll
      ? (await root.tables()).filter((name) => name !== "hbase:meta")
      : [table ?? []].flat();
    const snapshots = isAll ? await root.snapshots() : [snapshot ?? []].flat();
    const codes: number[] = [];
    for (const name of tables) {
      const title = `table ${name}`;
      codes.push(
        await verifyOne(context, root, title, json, () => root.openTable(name, { withLog: log ?? true })),
      );
    }
    for (const name of snapshots) {
      codes.push(await verifyOne(context, root, `snapshot ${name}`, json, () => root.openSnapshot(name)));
    }
    context.exitCode = combineExitCodes(codes);
  },
});

async function verifyOne(
  context: CliContext,
  root: HBaseRoot,
  title: string,
  json: boolean,
  open: () => Promise<HBaseTable>,
): Promise<number> {
  const { verifyTable } = await import("@cfile/hbase/verify");
  try {
    await using table = await open();
    const report = await verifyTable(table, { signal: context.io.signal });
    await context.stdout.line(json ? reportJson(title, report) : reportLines(title, report, root).join("\n"));
    return report.ok ? EXIT.ok : EXIT.corrupt;
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    await context.reportError(error);
    return exitCodeOf(error);
  }
}

function reportJson(title: string, report: TableReport): string {
  const [kind, name] = title.split(" ");
  const { boundaries, cutLogs, mobReferences, problemCount, ...rest } = report;
  return JSON.stringify({
    kind,
    name,
    ...rest,
    problem_count: problemCount,
    mob_references: mobReferences,
    cut_logs: cutLogs,
    boundaries: boundaries.map(({ kind: what, from, to, before, after }) => {
      return { kind: what, from: toHex(from), to: toHex(to), before, after };
    }),
  });
}

function reportLines(title: string, report: TableReport, { tree }: HBaseRoot): string[] {
  const { ok, problems, problemCount, boundaries, cutLogs } = report;
  const counts = [
    counted(report.regions, "region"),
    `${counted(report.files, "file")}${report.links + report.references === 0 ? "" : ` (${counted(report.links, "link")}, ${counted(report.references, "reference")})`}`,
    counted(report.blocks, "block"),
    counted(report.cells, "cell"),
    ...(report.mobReferences === 0 ? [] : [counted(report.mobReferences, "MOB value")]),
  ].join(", ");
  const found = problemCount + boundaries.length;
  return [
    `${printable(title)}: ${ok ? "ok" : "damaged"}, ${ok ? counts : counted(found, "problem")}`,
    ...boundaries.map((problem) => `  ${boundaryText(problem)}`),
    ...problems.map(({ region, family, file, path, ...problem }) => {
      const place = path ?? [region, family, file].filter((part) => part !== undefined).join("/");
      return `  ${printable(`${place}: ${problemText(problem)}`)}`;
    }),
    ...(problemCount > problems.length
      ? [`  ${counted(problemCount - problems.length, "more problem")}`]
      : []),
    ...cutLogs.map(
      (path) => `  note: ${printable(`${tree.name}/${path}`)} ends inside an entry, as an open log may`,
    ),
  ];
}

function boundaryText({ kind, from, to, before, after }: RegionBoundaryProblem): string {
  const range = `${from.length === 0 ? "the start" : `0x${toHex(from)}`} to ${to.length === 0 ? "the end" : `0x${toHex(to)}`}`;
  return kind === "hole"
    ? `no region has the rows from ${range}`
    : `regions ${before ?? ""} and ${after ?? ""} both have the rows from ${range}`;
}
