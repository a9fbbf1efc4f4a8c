/** `cfile table get`: rows by their keys. */

import type { CellValue } from "@cfile/encodings";
import type { Argv, CommandModule } from "yargs";
import { nameList } from "../../options/csv-list.js";
import { givenKeyParser } from "../../options/given-cell.js";
import { parseHybridTime } from "../../options/hybrid-time.js";
import { KEYS, type KeyArguments, keyArguments } from "../../options/key-arguments.js";
import { given } from "../../options/options.js";
import {
  RECORD_CONFLICTS,
  RECORD_FLAGS,
  type RecordFlags,
  recordFormat,
} from "../../options/record-format.js";
import type { CliContext, ReadTable } from "../../program/context.js";
import { AbsentRowError, EXIT } from "../../program/exit-code.js";
import { RecordWriter } from "../../records/record-writer.js";
import { columnField, rowCells, wantedColumns } from "../../records/row-cells.js";
import { READ_ROW_SET } from "../row-set-argument.js";
import { AS_OF, COLUMNS } from "../row-set-scan.js";

interface GetArguments extends KeyArguments, RecordFlags {
  readonly dir: string;
  readonly columns?: string | undefined;
  readonly asOf?: string | undefined;
}

export function rowSetGetCommand(context: CliContext): CommandModule<object, GetArguments> {
  return {
    command: "get <dir> [keys..]",
    describe: "rows by their keys; exit code 1 when one is not there",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", READ_ROW_SET)
        .positional("keys", KEYS)
        .option("columns", COLUMNS)
        .option("as-of", AS_OF)
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 table get table 17 18", "two rows")
        .example("$0 table get table 2024-02-29,apple --as-of 2024-03-01T00:00:00Z", "a key of two columns"),
    handler: (args) => context.withTable(args.dir, (rowSet) => getRows(context, rowSet, args)),
  };
}

async function getRows(context: CliContext, rowSet: ReadTable, args: GetArguments): Promise<void> {
  const { schema } = rowSet;
  const columns = wantedColumns(
    schema,
    given(args.columns, (text) => nameList("--columns", text)),
  );
  const options = {
    columns: columns.map(({ name }) => name),
    asOf: given(args.asOf, (text) => parseHybridTime("--as-of", text)),
    // Bytes of text stay as they are, well-formed or not, until they are shown.
    strings: "bytes",
    signal: context.io.signal,
  } as const;
  const texts = keyArguments(args);
  const keys = texts.map(givenKeyParser(schema.columns.filter(({ isKey }) => isKey)));
  const rows: (readonly CellValue[])[] = [];
  for (const [i, key] of keys.entries()) {
    const row = await rowSet.get(key, options);
    if (row === undefined) {
      await context.reportError(absentKey(args.dir, texts[i] ?? ""));
      context.exitCode = EXIT.failure;
    } else {
      rows.push(row.cells);
    }
  }
  const writer = new RecordWriter(columns.map(columnField), recordFormat(args), context.stdout);
  if (rows.length > 0 || recordFormat(args) !== "table") {
    await writer.write(rows.length, rowCells(columns, rows));
    await writer.finish();
  }
}

/** What is told of a key without row. */
export function absentKey(path: string, key: string): AbsentRowError {
  return new AbsentRowError(`there is no row with the key ${key}`, {
    path,
    field: "key",
    actual: key,
  });
}
