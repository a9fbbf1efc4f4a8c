/** `cfile convert`: CFiles, row sets, Arrow and Parquet files into one another. */
import { printable } from "@cfile/cell-text";
import type { Argv, CommandModule } from "yargs";
import type { CliContext } from "../context.js";
import { openTable, writeTable } from "../convert-table.js";
import { UsageError } from "../exit-code.js";
import { JSON_FLAG } from "../options.js";
import { counted } from "../quantity.js";

interface ConvertArguments {
  readonly files: string[] | undefined;
  readonly json: boolean | undefined;
}

export function convertCommand(context: CliContext): CommandModule<object, ConvertArguments> {
  return {
    command: "convert <files..>",
    describe: "write CFiles, a row set, an Arrow or Parquet file as another; the last name is the new one",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", {
          type: "string",
          array: true,
          describe: "sources and target: .cfile, .parquet, .arrow, .feather, .arrows, or a folder",
        })
        .option("json", JSON_FLAG)
        .example("$0 convert id.cfile name.cfile table.parquet", "CFiles as the columns of a table")
        .example("$0 convert rows/ rows.arrow", "a row set as an Arrow file")
        .example("$0 convert table.parquet columns/", "a CFile for each column"),
    handler: async ({ files = [], json }) => {
      const target = files.at(-1);
      if (target === undefined || files.length < 2) {
        throw new UsageError("a source and a target are expected");
      }
      const table = await openTable(files.slice(0, -1), context.io.signal);
      try {
        const rows = await writeTable(target, table);
        await context.stdout.line(
          json
            ? JSON.stringify({ path: target, rows, columns: table.columns.length })
            : `${printable(target)}: ${counted(rows, "row")}, ${counted(table.columns.length, "column")}`,
        );
      } finally {
        await table.close();
      }
    },
  };
}
