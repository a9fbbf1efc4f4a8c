/** Exports a table, split by split, into a file or a directory. */
import { resolve } from "node:path";
import { printable } from "@cfile/cell-text";
import type { KuduTablet, LogEnd } from "@cfile/kudu-dir";
import type { KuduColumn } from "@cfile/kudu-dir/catalog";
import type { Split, TabletSplit } from "@cfile/splits";
import { planTablets } from "@cfile/splits/plan";
import { type CodecName, parquetCodec } from "../../convert/parquet-codec.js";
import type { ExportForm } from "../../export/export-parts.js";
import { exportForm, exportSplits, type WrittenParts } from "../../export/export-splits.js";
import { ExportThreads } from "../../export/export-threads.js";
import type { PartSettings } from "../../export/part-source.js";
import { unitOf } from "../../export/run-parts.js";
import type { TableReadValues } from "../../options/options.js";
import { parseWhere } from "../../options/where-expression.js";
import type { CliContext } from "../../program/context.js";
import { EXIT } from "../../program/exit-code.js";
import { threadCount } from "../../program/worker-thread.js";
import { counted, countText, sum } from "../../records/quantity.js";
import { missingTablets } from "../cluster/cluster-directories.js";
import { reportCatalog, reportLedger, reportWrites } from "../cluster/replica-notice.js";
import { columnsOf, type KuduTables, tabletsOfTable } from "../kudu-directory.js";
import { reportLog } from "../kudu-log-notice.js";
import { IcebergTarget } from "./iceberg-target.js";

/** Maximum rows per part: the rows of a row group. */
const PART_ROWS = 1 << 20;
/** Minimum rows per part, if there are several parts. */
const MIN_PART_ROWS = 1 << 19;
/** Number of threads that the data files of an Iceberg table are sized for, on every machine. */
const ICEBERG_THREADS = 4;
/** For fewer cells, a thread costs more than it gains because it compiles the code again (npm run bench -- --only two-workers). */
const MIN_THREAD_CELLS = 12_000_000;

export interface ExportValues extends TableReadValues {
  readonly output: string;
  readonly to: ExportForm | undefined;
  readonly compression: CodecName | undefined;
  /** For Iceberg tables: see {@link IcebergTarget}. */
  readonly location: string | undefined;
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
  const { output: target, withLog } = values;
  const form = exportForm(target, values.to);
  const codec = parquetCodec(form, values.compression);
  const tablets = await tabletsOfTable(dir, values);
  const columns = columnsOf(tablets, values.columns);
  const rows = sum(tablets.map(({ liveRowCount = 0 }) => liveRowCount));
  const cells = rows === 0 ? Number.POSITIVE_INFINITY : rows * columns.length;
  const jobs = threadCount(values.jobs, Math.ceil(cells / MIN_THREAD_CELLS));
  await using threads = new ExportThreads(rows === 0 ? 0 : jobs - 1, context.io.signal);
  // The data files of an Iceberg table are the same on every machine.
  const targetRows = rowsOfPart(rows, form === "iceberg" ? ICEBERG_THREADS : jobs);
  const splits = await plannedSplits(context, { tablets, columns, targetRows }, values);
  const table =
    form === "iceberg" ? await IcebergTarget.open(target, values, { tablets, columns, splits }) : undefined;
  if (table?.isComplete) {
    await context.stdout.line(`${printable(target)}: the table has this export already`);
    return;
  }
  await reportCatalog(context, dir);
  const missing = await missingTablets(dir, values);
  const logEnds = await sharedLogEnds(tablets, splits, values);
  const isLogDamaged = withLog && (await hasDamagedLog(tablets));
  const isWanted = (parts: WrittenParts["parts"]): boolean => {
    const { row_sets: rowSets, complete } = summaryOf(parts, target);
    return !values.strict || (rowSets.length === 0 && complete && !isLogDamaged);
  };
  const isWhole = (parts: WrittenParts["parts"]): boolean =>
    summaryOf(parts, target).complete &&
    !isLogDamaged &&
    missing.length === 0 &&
    tablets.every(({ state }) => state === "ready");
  await using logs = new LogReading(tablets);
  const { parts, isWritten, bytes, resumed } = await exportSplits(
    context,
    {
      source: { dir },
      ...readSettings(values, logEnds),
      isSorted: new Set(splits.map(unitOf)).size === 1,
      ...{ codec, splits, columns, target, form, jobs, threads },
      // Not earlier: at this point all threads have a part.
      onRows: () => logs.start(),
      table: table?.whole(isWhole),
    },
    isWanted,
  );
  const summary = summaryOf(parts, target);
  if (!isWritten) {
    await reportSummary(context, values.json, summary);
    context.exitCode = EXIT.corrupt;
    return;
  }
  await reportSummary(context, values.json, {
    ...summary,
    columns: columns.length,
    tablets: new Set(splits.map(unitOf)).size,
    bytes,
    parts_resumed: resumed,
  });
  for (const { error } of missing) {
    await context.reportError(error);
  }
  await reportTablets(context, tablets, withLog);
  context.exitCode = isWhole(parts) ? EXIT.ok : EXIT.corrupt;
}

interface PlannedTable {
  readonly tablets: readonly KuduTablet[];
  readonly columns: readonly KuduColumn[];
  /** Per part. */
  readonly targetRows: number;
}

function plannedSplits(
  { io }: CliContext,
  { tablets, columns, targetRows }: PlannedTable,
  { asOf, dirs, partialHistory, where, withLog }: ExportValues,
): Promise<TabletSplit[]> {
  return planTablets(tablets, {
    targetRows,
    dirs: dirs.map((one) => resolve(one)),
    columns: columns.map(({ name }) => name),
    where: (known) => where.map((text) => parseWhere(text, known)),
    asOf,
    withLog,
    partialHistory,
    signal: io.signal,
  });
}

/**
 * Ends of the logs of divided tablets. All parts of a tablet must have the same writes, but threads open the directories at different
 * times, and a running server may write in between.
 */
async function sharedLogEnds(
  tablets: readonly KuduTablet[],
  splits: readonly Split[],
  { asOf, isCluster, withLog }: ExportValues,
): Promise<Readonly<Record<string, LogEnd>>> {
  const ends: Record<string, LogEnd> = {};
  for (const tablet of withLog && !isCluster && asOf === undefined ? readyTablets(tablets) : []) {
    const isDivided = splits.filter((split) => unitOf(split) === tablet.id).length > 1;
    const end = isDivided ? await tablet.logEnd() : undefined;
    if (end !== undefined) {
      ends[tablet.id] = end;
    }
  }
  return ends;
}

function readSettings(
  values: ExportValues,
  logEnds: Readonly<Record<string, LogEnd>>,
): Pick<PartSettings, "onDamage" | "origin"> {
  const { dirs, serverKey, historyMaxAge, confirmedOnly, unconfirmed, isCluster, recover } = values;
  const onDamage = recover ? "compare" : isCluster ? "fail" : "recover";
  const server = { dirs, serverKey, historyMaxAge, confirmedOnly, unconfirmed, logEnds };
  return { onDamage, origin: { kind: "kudu", ...server } };
}

async function reportTablets(
  context: CliContext,
  tablets: readonly KuduTablet[],
  withLog: boolean,
): Promise<void> {
  for (const tablet of tablets) {
    if (tablet.state === "ready") {
      await reportLog(context, tablet, withLog);
      await reportWrites(context, tablet);
    } else {
      await context.stderr.line(`cfile: tablet ${tablet.id} is ${tablet.state}: its rows are missing`);
    }
  }
}

/** Rows per part, chosen so that all threads stay busy to the end. */
function rowsOfPart(rows: number, threads: number): number {
  const parts = Math.ceil(Math.ceil(rows / PART_ROWS) / threads) * threads;
  return Math.max(MIN_PART_ROWS, Math.ceil(rows / Math.max(1, parts)));
}

/** Reads the logs, which the export reports on at the end, while the disk and other threads are busy. */
class LogReading {
  private readonly tablets: readonly KuduTablet[];
  private reading: Promise<void> | undefined;
  private isOver = false;

  constructor(tablets: readonly KuduTablet[]) {
    this.tablets = readyTablets(tablets);
  }

  start(): void {
    this.reading ??= this.read();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isOver = true;
    await this.reading;
  }

  private async read(): Promise<void> {
    for (const tablet of this.tablets) {
      if (!this.isOver) {
        await tablet.unflushed().catch(() => undefined);
      }
    }
  }
}

function readyTablets(tablets: readonly KuduTablet[]): readonly KuduTablet[] {
  return tablets.filter(({ state }) => state === "ready");
}

/** With a damaged log, the export has its changes up to the damage. */
async function hasDamagedLog(tablets: readonly KuduTablet[]): Promise<boolean> {
  const logs = await Promise.all(readyTablets(tablets).map((tablet) => tablet.unflushed()));
  return logs.some((log) => log !== undefined && log.problems.length > 0);
}

type Summary = ReturnType<typeof summaryOf> & {
  readonly columns?: number;
  readonly tablets?: number;
  readonly bytes?: number | undefined;
  readonly parts_resumed?: number;
};

function summaryOf(parts: WrittenParts["parts"], path: string) {
  const rowSets = parts.flatMap(({ split, report }) =>
    report.accounts.map((account) => ({ tablet: unitOf(split), ...account })),
  );
  const ledgers = parts.flatMap(({ report }) => report.ledgers);
  return {
    path,
    rows: sum(parts.map(({ report }) => report.rows)),
    rows_lost: sum(rowSets.map(({ rows_lost: rows }) => rows)),
    complete:
      rowSets.every(({ rows, rows_lost: rowsLost }) => rowsLost === 0 && rows > 0) &&
      ledgers.every(({ complete }) => complete),
    row_sets: rowSets,
    tablets_recovered: ledgers,
    notices: parts.flatMap(({ report }) => report.notices),
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
