/** `cfile write`: a CFile for each column of a CSV or NDJSON table. */
import { printable } from "@cfile/cell-text";
import { resolveEncoding } from "@cfile/encodings";
import type { Argv, CommandModule } from "yargs";
import { shortName } from "../options/names.js";
import { JSON_FLAG, SYNC_FLAG, WRITER_FLAGS } from "../options/options.js";
import type { CliContext } from "../program/context.js";
import { countText, sizeText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";
import { COLUMN_FLAGS, type ColumnFlags, tableColumns } from "../table/column-options.js";
import { typeText } from "../table/schema.js";
import { TABLE, TABLE_FLAGS, type TableFlags, TableInput } from "../table/table-input.js";
import { type WrittenColumn, writeTable } from "../table/table-writer.js";

interface WriteArguments extends ColumnFlags, TableFlags {
  readonly output: string;
  readonly sync: boolean;
  readonly schema?: string | undefined;
  readonly json?: boolean | undefined;
}

export function writeCommand(context: CliContext): CommandModule<object, WriteArguments> {
  return {
    command: "write <input>",
    describe: "write a CFile for each column of a CSV or NDJSON table",
    builder: (yargs: Argv) =>
      yargs
        .positional("input", TABLE)
        .option("output", {
          alias: "o",
          type: "string",
          requiresArg: true,
          demandOption: true,
          describe: "directory of the new files, one NAME.cfile a column",
        })
        .options(COLUMN_FLAGS)
        .options(TABLE_FLAGS)
        .option("key", {
          type: "string",
          array: true,
          requiresArg: true,
          describe: "a sorted column without nulls that gets a value index; can be repeated",
        })
        .options(WRITER_FLAGS)
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 write table.csv -o table", "types from the values")
        .example("$0 write t.csv -o t --schema 'id:int64,tags:string[]?'", "types given")
        .example("$0 write t.ndjson -o t --compression lz4 --encoding name=prefix", ""),
    handler: (args) => write(context, args),
  };
}

async function write(context: CliContext, args: WriteArguments): Promise<void> {
  const input = new TableInput(context, args);
  const columns = tableColumns(await input.columns(args.schema), args);
  const target = {
    directory: args.output,
    path: input.path,
    hasHeader: input.hasHeader,
    emptyFields: input.emptyFields,
    sync: args.sync,
    signal: context.io.signal,
  };
  const written = await input.read("writing", (table) => writeTable(table, columns, target));
  await context.stdout.line((args.json ? writtenJson(written) : writtenLines(written)).join("\n"));
}

function writtenLines(written: readonly WrittenColumn[]): string[] {
  return tableLines(
    [
      { title: "column" },
      { title: "type" },
      { title: "encoding" },
      { title: "rows", align: "right" },
      { title: "size", align: "right" },
      { title: "file" },
    ],
    written.map(({ column: { spec }, column, rows, bytes, path }) => [
      printable(spec.name),
      typeText(spec),
      shortName(encodingOf(column)),
      countText(rows),
      sizeText(bytes),
      printable(path),
    ]),
    "",
  );
}

function writtenJson(written: readonly WrittenColumn[]): string[] {
  const columns = written.map(({ column, rows, bytes, path }) => {
    const { name, type, nullable, array, scale } = column.spec;
    return { column: name, path, type, nullable, array, scale, encoding: encodingOf(column), rows, bytes };
  });
  return [JSON.stringify(columns)];
}

function encodingOf({ spec, options }: WrittenColumn["column"]) {
  const requested = options.encoding ?? "AUTO_ENCODING";
  return resolveEncoding(spec.type, requested) ?? requested;
}
