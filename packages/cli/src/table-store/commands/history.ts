/** `cfile table history`: all versions of rows. */
import type { CellValue } from "@cfile/encodings";
import { batchFromValues } from "@cfile/encodings/batches";
import type { RowSetColumn, RowVersion } from "@cfile/rowset";
import type { Argv, CommandModule } from "yargs";
import { nameList } from "../../options/csv-list.js";
import { givenKeyParser } from "../../options/given-cell.js";
import { hybridTimeText } from "../../options/hybrid-time.js";
import { KEYS, type KeyArguments, keyArguments } from "../../options/key-arguments.js";
import { given } from "../../options/options.js";
import {
  RECORD_CONFLICTS,
  RECORD_FLAGS,
  type RecordFlags,
  recordFormat,
} from "../../options/record-format.js";
import type { CliContext, ReadTable } from "../../program/context.js";
import { EXIT } from "../../program/exit-code.js";
import {
  cellsWhere,
  columnCells,
  type FieldCells,
  literalCells,
  textCells,
} from "../../records/field-cells.js";
import { RecordWriter } from "../../records/record-writer.js";
import { columnField, wantedColumns } from "../../records/row-cells.js";
import { READ_ROW_SET } from "../row-set-argument.js";
import { COLUMNS } from "../row-set-scan.js";
import { absentKey } from "./get.js";

interface HistoryArguments extends KeyArguments, RecordFlags {
  readonly dir: string;
  readonly columns?: string | undefined;
}

export function historyCommand(context: CliContext): CommandModule<object, HistoryArguments> {
  return {
    command: "history <dir> [keys..]",
    describe: "all versions of rows, oldest first; exit code 1 when a key never was there",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", READ_ROW_SET)
        .positional("keys", KEYS)
        .option("columns", COLUMNS)
        .options(RECORD_FLAGS)
        .conflicts(RECORD_CONFLICTS)
        .example("$0 table history table 17", "when the row came, how it changed, when it went"),
    handler: (args) => context.withTable(args.dir, (rowSet) => writeHistory(context, rowSet, args)),
  };
}

async function writeHistory(context: CliContext, rowSet: ReadTable, args: HistoryArguments): Promise<void> {
  const { schema } = rowSet;
  const keyColumns = schema.columns.filter(({ isKey }) => isKey);
  const wanted = wantedColumns(
    schema,
    given(args.columns, (text) => nameList("--columns", text)),
  );
  // The key tells the rows apart.
  const columns = [...keyColumns, ...wanted.filter(({ isKey }) => !isKey)];
  const texts = keyArguments(args);
  const keys = texts.map(givenKeyParser(keyColumns));
  const fields = [...VERSION_FIELDS, ...columns.map(columnField)];
  const format = recordFormat(args);
  const writer = new RecordWriter(fields, format, context.stdout);
  let found = 0;
  for (const [i, key] of keys.entries()) {
    const versions = await rowSet.history(key, {
      columns: columns.map(({ name }) => name),
      strings: "bytes",
      signal: context.io.signal,
    });
    if (versions.length === 0) {
      await context.reportError(absentKey(args.dir, texts[i] ?? ""));
      context.exitCode = EXIT.failure;
    }
    found += versions.length;
    await writer.write(versions.length, versionCells(columns, key, versions));
  }
  if (found > 0 || format !== "table") {
    await writer.finish();
  }
}

const VERSION_FIELDS = [
  { title: "timestamp", align: "right" },
  { title: "utc" },
  { title: "deleted" },
] as const;

function versionCells(
  columns: readonly RowSetColumn[],
  key: readonly CellValue[],
  versions: readonly RowVersion[],
): FieldCells[] {
  const isAlive = versions.map(({ deleted }) => !deleted);
  return [
    textCells(versions.map(({ timestamp }) => (timestamp === undefined ? null : String(timestamp)))),
    textCells(versions.map(({ timestamp }) => (timestamp === undefined ? null : hybridTimeText(timestamp)))),
    literalCells(versions.map(({ deleted }) => String(deleted))),
    ...columns.map((column, i) => {
      // A deleted version has its key all the same.
      const cells = versions.map(({ deleted, cells }) => (deleted ? key[i] : cells[i]) ?? null);
      const batch = batchFromValues({ ...column, nullable: true }, cells);
      const texts = columnCells(batch, { decode: true, scale: column.scale });
      return column.isKey ? texts : cellsWhere(texts, isAlive);
    }),
  ];
}
