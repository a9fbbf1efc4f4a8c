/** `cfile convert`: tables of one form into another. */

import { printable } from "@cfile/cell-text";
import type { TableBatch } from "@cfile/encodings/batches";
import type { Argv, CommandModule } from "yargs";
import { openTable } from "../convert/open-table.js";
import { formOfTarget, TABLE_FORMS, type TableForm } from "../convert/table-form.js";
import { writeTable } from "../convert/write-table.js";
import { nameList } from "../options/csv-list.js";
import { given, JSON_FLAG } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { UsageError } from "../program/exit-code.js";
import { startProgress } from "../program/progress.js";
import { counted, ratioText, sizeText } from "../records/quantity.js";
import { delimiterOf, TABLE_FLAGS } from "../table/table-input.js";

interface ConvertArguments {
  readonly files: string[] | undefined;
  readonly from: TableForm | undefined;
  readonly to: TableForm | undefined;
  readonly schema: string | undefined;
  readonly key: string | undefined;
  readonly delimiter: string;
  readonly null: string;
  readonly json: boolean | undefined;
}

export function convertCommand(context: CliContext): CommandModule<object, ConvertArguments> {
  return {
    command: "convert <files..>",
    describe: "write a table in another form: CSV, NDJSON, CFiles, row sets, Arrow IPC and Parquet",
    builder: (yargs: Argv) =>
      yargs
        .positional("files", {
          type: "string",
          array: true,
          describe:
            "sources and, last, the target: .csv, .ndjson, .cfile, .arrow, .feather, .arrows, .parquet, or a folder; several CFiles are columns of one table",
        })
        .option("from", {
          choices: TABLE_FORMS,
          requiresArg: true,
          describe: "[default: by the source's name]",
        })
        .option("to", {
          choices: TABLE_FORMS,
          requiresArg: true,
          describe: "[default: by the target's name; a name with / at its end is a folder of CFiles]",
        })
        .option("schema", {
          type: "string",
          requiresArg: true,
          describe:
            "of CSV and NDJSON: columns and types, as text or a .json file [default: from the values]",
        })
        .option("key", {
          type: "string",
          requiresArg: true,
          describe: "columns of a new row set's primary key, with commas between [default: the source's]",
        })
        .options({ delimiter: TABLE_FLAGS.delimiter, null: TABLE_FLAGS.null })
        .option("json", JSON_FLAG)
        .example("$0 convert id.cfile name.cfile table.parquet", "CFiles as the columns of a table")
        .example("$0 convert rows/ rows.arrow", "a row set as an Arrow file")
        .example("$0 convert t.csv t --to rowset --key id", "a row set, sorted by its key")
        .example("$0 convert table.parquet columns/", "a CFile for each column"),
    handler: (args) => convert(context, args),
  };
}

async function convert(context: CliContext, args: ConvertArguments): Promise<void> {
  const { files = [], from, to, schema, key, json } = args;
  const target = files.at(-1);
  if (target === undefined || files.length < 2) {
    throw new UsageError("a source and a target are expected");
  }
  const form = to ?? formOfTarget(target);
  const text = { delimiter: delimiterOf(args.delimiter), nullText: args.null };
  const begun = performance.now();
  const table = await openTable(context, files.slice(0, -1), { from, schema, text });
  let count = 0;
  try {
    const progress = startProgress(context.io, "converting", 1);
    async function* told(): AsyncGenerator<TableBatch, void, void> {
      for await (const rows of table.rows) {
        context.io.signal?.throwIfAborted();
        count += rows.length;
        progress.update(table.done());
        yield rows;
      }
    }
    const sortedBy = table.keyNames;
    const keyNames = given(key, (names) => nameList("--key", names)) ?? sortedBy;
    let bytes: number;
    try {
      const rows = { columns: table.columns, rows: told() };
      ({ bytes } = await writeTable(target, rows, { form, keyNames, sortedBy }));
    } finally {
      progress.stop();
    }
    const seconds = (performance.now() - begun) / 1000;
    const done = { rows: count, columns: table.columns.length, bytesRead: table.bytes, bytes, seconds };
    const line = json ? reportJson(target, done) : reportLine(target, done);
    await context.stdout.line(line);
  } finally {
    await table.close();
  }
}

interface Done {
  readonly rows: number;
  readonly columns: number;
  readonly bytesRead: number;
  readonly bytes: number;
  readonly seconds: number;
}

function reportLine(target: string, { rows, columns, bytesRead, bytes, seconds }: Done): string {
  return [
    `${printable(target)}: ${counted(rows, "row")}`,
    counted(columns, "column"),
    `${sizeText(bytesRead)} to ${sizeText(bytes)}`,
    `ratio ${ratioText(bytesRead, bytes)}`,
    `${seconds.toFixed(seconds < 10 ? 2 : 0)} s`,
  ].join(", ");
}

function reportJson(path: string, { rows, columns, bytesRead, bytes, seconds }: Done): string {
  const ratio = bytes === 0 ? undefined : bytesRead / bytes;
  return JSON.stringify({ path, rows, columns, bytes_read: bytesRead, bytes, ratio, seconds });
}
