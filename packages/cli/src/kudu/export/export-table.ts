/** Exports a table, split by split, into a file or a directory. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { printable } from "@cfile/cell-text";
import type { KuduTablet } from "@cfile/kudu-dir";
import type { TabletSplit } from "@cfile/splits";
import { planTablets } from "@cfile/splits/plan";
import { formOfName, type TableForm } from "../../convert/table-form.js";
import type { TableReadValues } from "../../options/options.js";
import { parseWhere } from "../../options/where-expression.js";
import type { CliContext } from "../../program/context.js";
import { EXIT, UsageError } from "../../program/exit-code.js";
import { startProgress } from "../../program/progress.js";
import { threadCount } from "../../program/worker-thread.js";
import { counted, countText, sum } from "../../records/quantity.js";
import { missingTablets } from "../cluster/cluster-directories.js";
import { reportLedger, reportWrites } from "../cluster/replica-notice.js";
import { columnsOf, type KuduTables, tabletsOfTable } from "../kudu-directory.js";
import { reportLog } from "../kudu-log-notice.js";
import { ExportParts } from "./export-parts.js";
import { joinParts, partForm } from "./join-parts.js";
import { runParts, tabletOf } from "./run-parts.js";
import type { PartSettings } from "./write-part.js";

/** Maximum rows of a part: those of a row group. */
const PART_ROWS = 1 << 20;
/** A thread for fewer rows costs more than it gains. */
const MIN_PART_ROWS = 1 << 19;

export interface ExportValues extends TableReadValues {
  readonly output: string;
  readonly to: TableForm | undefined;
  readonly withLog: boolean;
  readonly confirmedOnly: boolean;
  readonly unconfirmed: boolean;
  readonly strict: boolean;
  /** Whether to recover from all replicas. */
  readonly recover: boolean;
  /** Whether the tables are those of several servers. */
  readonly isCluster: boolean;
  readonly jobs: number | undefined;
  readonly json: boolean;
}

export async function exportTable(context: CliContext, dir: KuduTables, values: ExportValues): Promise<void> {
  const { output: target, withLog, asOf, partialHistory } = values;
  const form = values.to ?? formOfName(target) ?? "cfile";
  if (form === "rowset") {
    throw new UsageError(
      `unsupported format: rowset (export as Parquet, then use "cfile convert --to rowset")`,
    );
  }
  const tablets = await tabletsOfTable(dir, values);
  const columns = columnsOf(tablets, values.columns);
  const rows = sum(tablets.map(({ liveRowCount = 0 }) => liveRowCount));
  const splits = await planTablets(tablets, {
    targetRows: rowsOfPart(rows, threadCount(values.jobs, Number.POSITIVE_INFINITY)),
    dirs: values.dirs.map((one) => resolve(one)),
    columns: columns.map(({ name }) => name),
    where: (known) => values.where.map((text) => parseWhere(text, known)),
    asOf,
    withLog,
    partialHistory,
    signal: context.io.signal,
  });
  const whole = target.replace(/[\\/]+$/, "");
  const { dirs, serverKey, historyMaxAge, confirmedOnly, unconfirmed } = values;
  const partsForm = partForm(form);
  const onDamage: PartSettings["onDamage"] = values.recover
    ? "compare"
    : values.isCluster
      ? "fail"
      : "recover";
  const parts = await ExportParts.open(`${whole}.parts`, partsForm, splits);
  const resumed = parts.reports.size;
  const total = sum(splits.map(({ rows }) => rows));
  const progress = startProgress(context.io, "exporting", total);
  const work = {
    dir,
    splits,
    parts,
    settings: { dirs, serverKey, historyMaxAge, confirmedOnly, unconfirmed, form: partsForm, onDamage },
    jobs: threadCount(values.jobs, splits.length),
  };
  const written = await runParts(context, work, (rows) => progress.update(rows)).finally(progress.stop);
  const summary = summaryOf(written, parts, target);
  const isLogDamaged = withLog && (await hasDamagedLog(tablets));
  if (values.strict && (summary.row_sets.length > 0 || !summary.complete || isLogDamaged)) {
    await parts.remove();
    await reportSummary(context, values.json, summary);
    context.exitCode = EXIT.corrupt;
    return;
  }
  const paths = written.map((split) => parts.path(split));
  await joinParts(context, { target: form === "cfile" ? `${whole}/` : target, form, columns, parts: paths });
  await parts.remove();
  const { size } = await stat(whole);
  await reportSummary(context, values.json, {
    ...summary,
    columns: columns.length,
    tablets: new Set(splits.map(tabletOf)).size,
    bytes: form === "cfile" ? undefined : size,
    parts_resumed: resumed,
  });
  let isComplete = summary.complete && !isLogDamaged;
  for (const { error } of await missingTablets(dir, values)) {
    await context.reportError(error);
    isComplete = false;
  }
  for (const tablet of tablets) {
    if (tablet.state === "ready") {
      await reportLog(context, tablet, withLog);
      await reportWrites(context, tablet);
    } else {
      await context.stderr.line(`cfile: tablet ${tablet.id} is ${tablet.state}: its rows are missing`);
      isComplete = false;
    }
  }
  context.exitCode = isComplete ? EXIT.ok : EXIT.corrupt;
}

/** Rows of a part: as many parts as keep all threads busy to the end. */
function rowsOfPart(rows: number, threads: number): number {
  const parts = Math.ceil(Math.ceil(rows / PART_ROWS) / threads) * threads;
  return Math.max(MIN_PART_ROWS, Math.ceil(rows / Math.max(1, parts)));
}

/** With a damaged log, the export has its changes up to the damage. */
async function hasDamagedLog(tablets: readonly KuduTablet[]): Promise<boolean> {
  const ready = tablets.filter(({ state }) => state === "ready");
  const logs = await Promise.all(ready.map((tablet) => tablet.unflushed()));
  return logs.some((log) => log !== undefined && log.problems.length > 0);
}

type Summary = ReturnType<typeof summaryOf> & {
  readonly columns?: number;
  readonly tablets?: number;
  readonly bytes?: number | undefined;
  readonly parts_resumed?: number;
};

function summaryOf(splits: readonly TabletSplit[], { reports }: ExportParts, path: string) {
  const found = splits.map((split) => ({ tablet: tabletOf(split), report: reports.get(split.id) }));
  const rowSets = found.flatMap(({ tablet, report }) =>
    (report?.accounts ?? []).map((account) => ({ tablet, ...account })),
  );
  const ledgers = found.flatMap(({ report }) => report?.ledgers ?? []);
  return {
    path,
    rows: sum(found.map(({ report }) => report?.rows ?? 0)),
    rows_lost: sum(rowSets.map(({ rows_lost: rows }) => rows)),
    complete:
      rowSets.every(({ rows, rows_lost: rowsLost }) => rowsLost === 0 && rows > 0) &&
      ledgers.every(({ complete }) => complete),
    row_sets: rowSets,
    tablets_recovered: ledgers,
    notices: found.flatMap(({ report }) => report?.notices ?? []),
  };
}

async function reportSummary(context: CliContext, json: boolean, summary: Summary): Promise<void> {
  const { stdout, stderr } = context;
  if (json) {
    await stdout.line(JSON.stringify(summary));
  } else {
    const { path, rows, columns, rows_lost: lost } = summary;
    const written =
      columns === undefined ? "nothing written" : `${counted(rows, "row")}, ${counted(columns, "column")}`;
    await stdout.line(`${printable(path)}: ${written}${lost === 0 ? "" : `, ${counted(lost, "row")} lost`}`);
  }
  for (const notice of summary.notices) {
    await stderr.line(`cfile: ${notice}`);
  }
  for (const ledger of summary.tablets_recovered) {
    await reportLedger(context, ledger);
  }
  for (const { tablet, row_set: rowSet, rows, rows_lost: lost, files } of summary.row_sets) {
    await stderr.line(
      `cfile: tablet ${tablet}, DiskRowSet ${rowSet}: ${countText(lost)} of ${counted(rows, "row")} lost`,
    );
    for (const { role, path, state, problem } of files.filter((file) => file.state !== "valid")) {
      const reason = problem instanceof Object && "reason" in problem ? `: ${String(problem.reason)}` : "";
      await stderr.line(`  ${printable(role)} is ${state}, ${printable(path)}${printable(reason)}`);
    }
  }
}
