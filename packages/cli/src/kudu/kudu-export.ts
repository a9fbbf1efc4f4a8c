/** `cfile kudu export`: a table out of a server's directories as a file of another format. */
import type { Argv, CommandModule } from "yargs";
import { TABLE_FORMS } from "../convert/table-form.js";
import { JOBS_FLAG } from "../options/jobs.js";
import { JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import type { ExportArguments } from "./export/export-table.js";
import { DIRS, KUDU_FLAGS, TABLET_FLAGS, withKuduDir } from "./kudu-directory.js";

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
    handler: (args) =>
      withKuduDir(args, async (dir) => {
        const { exportTable } = await import("./export/export-table.js");
        await exportTable(context, dir, args);
      }),
  };
}
