/** The table of `cfile kudu export`, split by split into a file or a folder; its code is loaded when a table is exported. */
import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { printable } from "@cfile/cell-text";
import type { KuduDir, KuduTablet } from "@cfile/kudu-dir";
import type { TabletSplit } from "@cfile/splits";
import { planTablets } from "@cfile/splits/plan";
import { formOfName, type TableForm } from "../../convert/table-form.js";
import { nameList } from "../../options/csv-list.js";
import { parseHybridTime } from "../../options/hybrid-time.js";
import { jobsOf } from "../../options/jobs.js";
import { given } from "../../options/options.js";
import { parseWhere } from "../../options/where-expression.js";
import type { CliContext } from "../../program/context.js";
import { EXIT, UsageError } from "../../program/exit-code.js";
import { startProgress } from "../../program/progress.js";
import { counted, countText } from "../../records/quantity.js";
import type { AccountJson } from "../../splits/account-json.js";
import { columnsOf } from "../kudu-columns.js";
import { type TabletArguments, tabletsOfTable } from "../kudu-directory.js";
import { tellOfLog } from "../kudu-log-notice.js";
import { ExportParts } from "./export-parts.js";
import { joinParts, partForm } from "./join-parts.js";
import { runParts, tabletOf } from "./run-parts.js";

export interface ExportArguments extends TabletArguments {
  readonly output: string;
  readonly to?: TableForm | undefined;
  readonly columns?: string | undefined;
  readonly where?: readonly string[] | string | undefined;
  readonly asOf?: string | undefined;
  readonly withLog?: boolean | undefined;
  readonly partialHistory?: boolean | undefined;
  readonly strict?: boolean | undefined;
  readonly jobs?: string | undefined;
  readonly json: boolean | undefined;
}

export async function exportTable(context: CliContext, dir: KuduDir, args: ExportArguments): Promise<void> {
  const { output: target } = args;
  const form = args.to ?? formOfName(target) ?? "cfile";
  if (form === "rowset") {
    throw new UsageError("an export is a table of rows; cfile convert makes row sets of it");
  }
  const tablets = await tabletsOfTable(dir, args);
  const columns = columnsOf(
    tablets,
    given(args.columns, (text) => nameList("--columns", text)),
  );
  const splits = await planTablets(tablets, {
    dirs: args.dirs.map((one) => resolve(one)),
    columns: columns.map(({ name }) => name),
    where: (known) => [args.where ?? []].flat().map((text) => parseWhere(text, known)),
    asOf: given(args.asOf, (text) => parseHybridTime("--as-of", text)),
    withLog: args.withLog,
    partialHistory: args.partialHistory,
    signal: context.io.signal,
  });
  const whole = target.replace(/[\\/]+$/, "");
  // Parts have a form that depends on how many there are, which is only known when they are written.
  const settings = { dirs: args.dirs, serverKey: args.serverKey, historyMaxAge: args.historyMaxAge };
  const partsForm = partForm(form, 2);
  const parts = await ExportParts.open(`${whole}.parts`, partsForm, splits);
  const resumed = parts.reports.size;
  const progress = startProgress(
    context.io,
    "exporting",
    splits.reduce((sum, { rows }) => sum + rows, 0),
  );
  const work = {
    dir,
    splits,
    parts,
    settings: { ...settings, form: partsForm },
    jobs: jobsOf(args.jobs, splits.length),
  };
  const written = await runParts(context, work, (rows) => progress.update(rows)).finally(progress.stop);
  const summary = summaryOf(written, parts, target);
  const isLogDamaged = args.withLog === true && (await hasDamagedLog(tablets));
  if (args.strict && (summary.row_sets.length > 0 || isLogDamaged)) {
    await parts.remove();
    await tell(context, args, summary);
    context.exitCode = EXIT.corrupt;
    return;
  }
  const paths = written.map((split) => parts.path(split));
  await joinParts(context, { target: form === "cfile" ? `${whole}/` : target, form, columns, parts: paths });
  await parts.remove();
  const isFolder = form === "cfile";
  const { size } = await stat(whole);
  await tell(context, args, {
    ...summary,
    columns: columns.length,
    tablets: new Set(splits.map(tabletOf)).size,
    bytes: isFolder ? undefined : size,
    parts_resumed: resumed,
  });
  let isWhole = summary.complete && !isLogDamaged;
  for (const tablet of tablets) {
    if (tablet.state === "ready") {
      await tellOfLog(context, tablet, args.withLog ?? false);
    } else {
      await context.stderr.line(`cfile: tablet ${tablet.id} is ${tablet.state}: its rows are not here`);
      isWhole = false;
    }
  }
  context.exitCode = isWhole ? EXIT.ok : EXIT.corrupt;
}

/** Recovery applies such a log up to the damage. */
async function hasDamagedLog(tablets: readonly KuduTablet[]): Promise<boolean> {
  for (const tablet of tablets.filter(({ state }) => state === "ready")) {
    const log = await tablet.unflushed();
    if (log !== undefined && log.problems.length > 0) {
      return true;
    }
  }
  return false;
}

interface Summary {
  readonly path: string;
  readonly rows: number;
  readonly rows_lost: number;
  readonly complete: boolean;
  readonly columns?: number;
  readonly tablets?: number;
  readonly bytes?: number | undefined;
  readonly parts_resumed?: number;
  /** Those that are damaged. */
  readonly row_sets: readonly (AccountJson & { readonly tablet: string })[];
}

function summaryOf(splits: readonly TabletSplit[], { reports }: ExportParts, path: string): Summary {
  const found = splits.map((split) => ({ tablet: tabletOf(split), report: reports.get(split.id) }));
  const rowSets = found.flatMap(({ tablet, report }) =>
    (report?.accounts ?? []).map((account) => ({ tablet, ...account })),
  );
  return {
    path,
    rows: found.reduce((sum, { report }) => sum + (report?.rows ?? 0), 0),
    rows_lost: rowSets.reduce((sum, { rows_lost: rows }) => sum + rows, 0),
    complete: rowSets.every(({ rows, rows_lost: rowsLost }) => rowsLost === 0 && rows > 0),
    row_sets: rowSets,
  };
}

async function tell({ stdout, stderr }: CliContext, args: ExportArguments, summary: Summary): Promise<void> {
  if (args.json) {
    await stdout.line(JSON.stringify(summary));
  } else {
    const { path, rows, columns, rows_lost: lost } = summary;
    const written =
      columns === undefined ? "nothing written" : `${counted(rows, "row")}, ${counted(columns, "column")}`;
    await stdout.line(`${printable(path)}: ${written}${lost === 0 ? "" : `, ${counted(lost, "row")} lost`}`);
  }
  for (const { tablet, row_set: rowSet, rows, rows_lost: lost, files } of summary.row_sets) {
    await stderr.line(
      `cfile: tablet ${tablet}, row set ${rowSet}: ${countText(lost)} of ${counted(rows, "row")} lost`,
    );
    for (const { role, path, state, problem } of files.filter((file) => file.state !== "valid")) {
      const reason = problem instanceof Object && "reason" in problem ? `: ${String(problem.reason)}` : "";
      await stderr.line(`  ${printable(role)} is ${state}, ${printable(path)}${printable(reason)}`);
    }
  }
}
