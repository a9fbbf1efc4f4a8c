/** `cfile table update`: rows changed, added or deleted, at a time. */

import { invalidArgument, isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { RowSetColumn, RowSetSchema } from "@cfile/rowset";
import type { TableStore, WriteResult } from "@cfile/rowset/store";
import type { CellValue, InputCell } from "cfile";
import type { Argv, CommandModule } from "yargs";
import { hybridTimeLabel, hybridTimeOf, hybridTimeText, parseHybridTime } from "../../options/hybrid-time.js";
import { JSON_FLAG, SYNC_FLAG } from "../../options/options.js";
import type { CliContext } from "../../program/context.js";
import { AbsentRowError } from "../../program/exit-code.js";
import { counted } from "../../records/quantity.js";
import { cellMaker } from "../../records/raw-cell.js";
import { TABLE, TABLE_FLAGS, type TableFlags, TableInput } from "../../table/table-input.js";
import type { Table } from "../../table/table-rows.js";
import { ROW_SET } from "../row-set-argument.js";
import { requiredRowSetFolder } from "../row-set-path.js";

interface UpdateArguments extends TableFlags {
  readonly dir: string;
  readonly delete?: boolean | undefined;
  readonly upsert?: boolean | undefined;
  readonly timestamp?: string | undefined;
  readonly sync: boolean;
  readonly json?: boolean | undefined;
}

export function updateCommand(context: CliContext): CommandModule<object, UpdateArguments> {
  return {
    command: "update <dir> <input>",
    describe: "change cells of rows, add rows or delete them; all of the input or nothing",
    builder: (yargs: Argv) =>
      yargs
        .positional("dir", ROW_SET)
        .positional("input", {
          ...TABLE,
          describe: "rows with their key and the cells that change: .ndjson, .csv, or - for standard input",
        })
        .option("delete", {
          type: "boolean",
          describe: "delete the rows; cells besides the key do not count",
        })
        .option("upsert", { type: "boolean", describe: "add the rows that are not there" })
        .conflicts("delete", "upsert")
        .option("timestamp", {
          type: "string",
          requiresArg: true,
          describe: "when it happens, not before the last write [default: now]",
        })
        .options(TABLE_FLAGS)
        .option("sync", SYNC_FLAG)
        .option("json", JSON_FLAG)
        .example("$0 table update table changes.ndjson", 'lines like {"id": 17, "price": "9.99"}')
        .example("$0 table update table gone.csv --delete --timestamp 2024-02-29T12:00:00Z", ""),
    handler: async (args) => {
      const input = new TableInput(context, args);
      const { dir, timestamp: text } = args;
      const given = text === undefined ? undefined : parseHybridTime("--timestamp", text);
      const folder = await requiredRowSetFolder(dir);
      const change = async (rowSet: TableStore): Promise<void> => {
        const timestamp = given ?? nextTimestamp(rowSet);
        const rows = await input.read("reading", (table) =>
          rowsOf(context, table, rowSet.schema, input, args.delete ?? false),
        );
        const result = await write(rowSet, rows, timestamp, args).catch((error: unknown) => {
          throw isCFileError(error, "E_NOT_FOUND") ? new AbsentRowError(error.reason, error) : error;
        });
        await context.stdout.line((args.json ? resultJson : resultText)(args, result, timestamp));
      };
      await context.withRowSet(folder, change, { sync: args.sync });
    },
  };
}

/** Now, but after the last write, so that its state can be told from the new one. */
function nextTimestamp({ lastTimestamp }: TableStore): bigint {
  const now = hybridTimeOf(BigInt(Date.now()) * 1000n);
  return now > lastTimestamp ? now : lastTimestamp + 1n;
}

/** The cells of a row in the order of the schema; `undefined` where the input does not have them. */
type Row = readonly InputCell[];

/** @param onlyKeys whether cells of other columns are passed over */
async function rowsOf(
  { io }: CliContext,
  table: Table,
  { columns }: RowSetSchema,
  { path, emptyFields }: TableInput,
  onlyKeys: boolean,
): Promise<Row[]> {
  const makers = columns.map((column) => cellMaker(column, emptyFields, path));
  const rows: Row[] = [];
  for await (const portion of table.rows) {
    io.signal?.throwIfAborted();
    // Columns of NDJSON may come later than its first row.
    const positions = table.names.map((name) => columnPosition(columns, name, path));
    for (const cells of portion) {
      const row: InputCell[] = new Array(columns.length).fill(undefined);
      for (const [i, position] of positions.entries()) {
        const raw = cells[i];
        if (raw !== undefined && (!onlyKeys || columns[position]?.isKey === true)) {
          row[position] = makers[position]?.(raw, rows.length);
        }
      }
      rows.push(row);
    }
  }
  return rows;
}

function columnPosition(columns: readonly RowSetColumn[], name: string, path: string): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position < 0) {
    const known = columns.map((column) => column.name).join(", ");
    throw invalidArgument(`the row set has no column "${name}"; it has ${known}`, { path });
  }
  return position;
}

function write(
  rowSet: TableStore,
  rows: readonly Row[],
  timestamp: bigint,
  { delete: isDelete, upsert: isUpsert }: UpdateArguments,
): Promise<WriteResult> {
  if (isDelete) {
    const keys = rowSet.schema.columns.filter(({ isKey }) => isKey);
    return rowSet.delete(
      // Key columns stand first.
      rows.map((row, i) => keys.map(({ name }, position) => keyCell(row[position], name, i))),
      timestamp,
    );
  }
  return isUpsert ? rowSet.upsert(rows, timestamp) : rowSet.update(rows, timestamp);
}

function keyCell(cell: InputCell, name: string, row: number): CellValue {
  if (cell === undefined || cell === null || (typeof cell === "object" && !(cell instanceof Uint8Array))) {
    throw invalidArgument(`column "${name}": row ${row}: a key is expected`);
  }
  return cell;
}

function resultText(
  { dir, delete: isDelete }: UpdateArguments,
  { changed, inserted }: WriteResult,
  timestamp: bigint,
): string {
  const what = `${counted(changed, "row")} ${isDelete ? "deleted" : "changed"}`;
  const added = inserted === 0 ? "" : `, ${counted(inserted, "row")} added`;
  return `${printable(dir)}: ${what}${added} at ${hybridTimeLabel(timestamp)}`;
}

function resultJson(
  { dir, delete: isDelete }: UpdateArguments,
  { changed, inserted }: WriteResult,
  timestamp: bigint,
): string {
  return JSON.stringify({
    path: dir,
    changed: isDelete ? 0 : changed,
    deleted: isDelete ? changed : 0,
    inserted,
    timestamp: String(timestamp),
    timestamp_utc: hybridTimeText(timestamp),
  });
}
