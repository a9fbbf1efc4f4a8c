/** `cfile kudu export`: a table out of a server's directories as a file of another form. */
import { stat } from "node:fs/promises";
import { printable } from "@cfile/cell-text";
import type { Argv, CommandModule } from "yargs";
import { formOfName, TABLE_FORMS, type TableForm } from "../convert/table-form.js";
import { nameList } from "../options/csv-list.js";
import { parseHybridTime } from "../options/hybrid-time.js";
import { JOBS_FLAG, jobsOf } from "../options/jobs.js";
import { given, JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { EXIT, UsageError } from "../program/exit-code.js";
import { startProgress } from "../program/progress.js";
import { counted, countText } from "../records/quantity.js";
import type { AccountJson } from "./export/account-json.js";
import { ExportParts } from "./export/export-parts.js";
import { type ExportSettings, exportedTable } from "./export/export-settings.js";
import { joinParts, partForm } from "./export/join-parts.js";
import { runUnits } from "./export/run-units.js";
import { DIRS, KUDU_FLAGS, TABLET_FLAGS, type TabletArguments, withKuduDir } from "./kudu-directory.js";
import { tellOfLog } from "./kudu-log-notice.js";

interface ExportArguments extends TabletArguments {
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

export function exportCommand(context: CliContext): CommandModule<object, ExportArguments> {
  return {
    command: "export <dirs..>",
    describe:
      "write a table as Parquet, Arrow, CSV or CFiles; called again after an interruption, it goes on; of damaged row sets, what is left",
    builder: (yargs: Argv) =>
      yargs
        .positional("dirs", DIRS)
        .options(TABLET_FLAGS)
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe:
            "new file in .parquet, .arrow, .feather, .arrows, .csv or .ndjson, or a folder for a CFile a column",
        })
        .option("to", { choices: TABLE_FORMS, describe: "form of the output [default: by its name]" })
        .option("columns", {
          type: "string",
          requiresArg: true,
          describe: "names with commas between [default: all]",
        })
        .option("where", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: 'condition like "id >= 7"; may be given again',
        })
        .option("as-of", {
          type: "string",
          requiresArg: true,
          describe: "what was written before a hybrid timestamp, or a time like 2024-02-29T12:00:00Z",
        })
        .option("with-log", {
          type: "boolean",
          describe: "with what the server had only in memory, from its write-ahead log",
        })
        .option("partial-history", {
          type: "boolean",
          describe: "read times whose history may be gone, for what is left of it",
        })
        .option("strict", { type: "boolean", describe: "write nothing when a row set is damaged" })
        .option("jobs", JOBS_FLAG)
        .option("json", JSON_FLAG)
        .options(KUDU_FLAGS)
        .example("$0 kudu export /data/1 /data/wal --table t -o t.parquet", "a table as a Parquet file"),
    handler: async (args) => {
      await withKuduDir(args, async (dir) => {
        const { output: target } = args;
        const form = args.to ?? formOfName(target) ?? "cfile";
        const common = settingsOf(args, form);
        const { tablets, withoutData, columns } = await exportedTable(dir, common);
        for (const tablet of tablets) {
          await tablet.requireHistory("asOf", common.asOf, common);
        }
        const whole = target.replace(/[\\/]+$/, "");
        // Parts have a form that depends on how many there are, which is only known when they are planned.
        const settings = { ...common, form: partForm(form, 2) };
        const parts = await ExportParts.open(`${whole}.parts`, dir, settings);
        const resumed = parts.reports.size;
        const jobs = jobsOf(args.jobs, parts.units.length);
        const total = tablets.reduce((sum, { liveRowCount = 0 }) => sum + liveRowCount, 0);
        const progress = startProgress(context.io, "exporting", total);
        try {
          await runUnits(context, dir, parts, settings, jobs, (rows) => progress.update(rows));
        } finally {
          progress.stop();
        }
        const summary = summaryOf(parts, target);
        if (args.strict && summary.row_sets.length > 0) {
          await parts.remove();
          await tell(context, args, summary);
          context.exitCode = EXIT.corrupt;
          return;
        }
        const files = [...parts.units.keys()].filter((unit) => parts.reports.get(unit)?.absent !== true);
        await joinParts(
          context,
          form === "cfile" ? `${whole}/` : target,
          form,
          columns,
          files.map((unit) => parts.path(unit)),
        );
        await parts.remove();
        const { size } = await stat(whole);
        await tell(context, args, {
          ...summary,
          columns: columns.length,
          tablets: tablets.length,
          bytes: form === "cfile" || form === "rowset" ? undefined : size,
          parts_resumed: resumed,
        });
        for (const tablet of tablets) {
          await tellOfLog(context, tablet, common.withLog);
        }
        for (const { id, state } of withoutData) {
          await context.stderr.line(`cfile: tablet ${id} is ${state}: its rows are not here`);
        }
        context.exitCode = summary.complete && withoutData.length === 0 ? EXIT.ok : EXIT.corrupt;
      });
    },
  };
}

function settingsOf(args: ExportArguments, form: TableForm): ExportSettings {
  const { dirs, serverKey, historyMaxAge, table, tablet, withLog = false, partialHistory = false } = args;
  if (form === "rowset") {
    throw new UsageError("an export is a table of rows; cfile convert makes row sets of it");
  }
  return {
    dirs: [...dirs],
    serverKey,
    historyMaxAge,
    table,
    tablet,
    columns: given(args.columns, (text) => nameList("--columns", text)),
    where: [args.where ?? []].flat(),
    asOf: given(args.asOf, (text) => parseHybridTime("--as-of", text)),
    withLog,
    partialHistory,
    form,
  };
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

function summaryOf({ units, reports }: ExportParts, path: string): Summary {
  const rowSets = [...reports].flatMap(([unit, { accounts }]) =>
    accounts.map((account) => ({ tablet: units[unit]?.tablet ?? "", ...account })),
  );
  const lost = rowSets.reduce((sum, { rows_lost: rows }) => sum + rows, 0);
  return {
    path,
    rows: [...reports.values()].reduce((sum, { rows }) => sum + rows, 0),
    rows_lost: lost,
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
    for (const { role, path, state, problem } of files.filter((file) => file.state !== "sound")) {
      const reason = problem instanceof Object && "reason" in problem ? `: ${String(problem.reason)}` : "";
      await stderr.line(`  ${printable(role)} is ${state}, ${printable(path)}${printable(reason)}`);
    }
  }
}
