/** `cfile table update`: updates, inserts or deletes rows. */
import { invalidArgument, isCFileError } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { RowSetSchema } from "@cfile/rowset";
import type { TableStore, WriteResult } from "@cfile/rowset/store";
import type { CellValue, InputCell } from "cfile";
import { hybridTimeLabel, hybridTimeOf, hybridTimeText } from "../../options/hybrid-time.js";
import { JSON_OPTION, SYNC, TABLE_STORE, TIMESTAMP } from "../../options/options.js";
import { command } from "../../program/command.js";
import type { CliContext } from "../../program/context.js";
import { AbsentRowError } from "../../program/exit-code.js";
import { exclusive, flag } from "../../program/option.js";
import { counted } from "../../records/quantity.js";
import { cellMaker } from "../../records/raw-cell.js";
import { INPUT, TABLE_TEXT, TableInput } from "../../table/table-input.js";
import type { Table } from "../../table/table-rows.js";

export const update = command({
  about:
    "Each input row has the key and the cells to change. Either all rows are applied or none. The input is held in memory.",
  args: { dir: TABLE_STORE, input: INPUT },
  options: {
    upsert: flag("insert the rows that do not exist"),
    delete: flag("delete the rows; cells other than the key are ignored"),
    timestamp: TIMESTAMP("when the change happens, not before the last write", "now"),
    ...TABLE_TEXT,
    sync: SYNC,
    json: JSON_OPTION,
  },
  examples: [
    ['Apply lines like {"id": 17, "price": "9.99"}', "cfile table update table changes.ndjson"],
    ["Delete rows at a time", "cfile table update table gone.csv --delete --timestamp 2024-02-29T12:00:00Z"],
  ],
  run: async (context, values) => {
    const { dir, upsert, delete: isDelete, sync, json } = values;
    exclusive({ "--delete": isDelete, "--upsert": upsert });
    const input = new TableInput(context, values);
    const change = async (table: TableStore): Promise<void> => {
      const timestamp = values.timestamp ?? nextTimestamp(table);
      const rows = await input.read("reading", (text) =>
        rowsOf(context, text, table.schema, input, isDelete),
      );
      const mode = isDelete ? "delete" : upsert ? "upsert" : "update";
      const result = await write(table, rows, timestamp, mode).catch((error: unknown) => {
        throw isCFileError(error, "E_NOT_FOUND") ? new AbsentRowError(error.reason, error) : error;
      });
      await context.stdout.line((json ? resultJson : resultText)(dir, isDelete, result, timestamp));
    };
    await context.withTableStore(dir, change, { sync });
  },
});

/** The current time, but always after the last write, so that the new snapshot differs from the previous one. */
function nextTimestamp({ lastTimestamp }: TableStore): bigint {
  const now = hybridTimeOf(BigInt(Date.now()) * 1000n);
  return now > lastTimestamp ? now : lastTimestamp + 1n;
}

/** The cells of a row in the order of the schema; `undefined` where the input lacks them. */
type Row = readonly InputCell[];

/** @param onlyKeys whether cells of other columns are ignored */
async function rowsOf(
  { io }: CliContext,
  table: Table,
  { columns }: RowSetSchema,
  { path, format }: TableInput,
  onlyKeys: boolean,
): Promise<Row[]> {
  const makers = columns.map((column) => cellMaker(column, format, path));
  const rows: Row[] = [];
  for await (const portion of table.rows) {
    io.signal?.throwIfAborted();
    // Later rows of NDJSON may have more columns.
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

function columnPosition(columns: RowSetSchema["columns"], name: string, path: string): number {
  const position = columns.findIndex((column) => column.name === name);
  if (position < 0) {
    const known = columns.map((column) => column.name).join(", ");
    throw invalidArgument(`no column "${name}" in the table store; columns: ${known}`, { path });
  }
  return position;
}

function write(
  table: TableStore,
  rows: readonly Row[],
  timestamp: bigint,
  mode: "update" | "upsert" | "delete",
): Promise<WriteResult> {
  if (mode !== "delete") {
    return table[mode](rows, timestamp);
  }
  // Key columns come first.
  const keys = table.schema.columns.filter(({ isKey }) => isKey);
  return table.delete(
    rows.map((row, i) => keys.map(({ name }, position) => keyCell(row[position], name, i))),
    timestamp,
  );
}

function keyCell(cell: InputCell, name: string, row: number): CellValue {
  if (cell === undefined || cell === null || (typeof cell === "object" && !(cell instanceof Uint8Array))) {
    throw invalidArgument(`column "${name}": row ${row}: missing key`);
  }
  return cell;
}

function resultText(
  path: string,
  isDelete: boolean,
  { changed, inserted }: WriteResult,
  timestamp: bigint,
): string {
  const what = `${counted(changed, "row")} ${isDelete ? "deleted" : "updated"}`;
  const added = inserted === 0 ? "" : `, ${counted(inserted, "row")} inserted`;
  return `${printable(path)}: ${what}${added} at ${hybridTimeLabel(timestamp)}`;
}

function resultJson(
  path: string,
  isDelete: boolean,
  { changed, inserted }: WriteResult,
  timestamp: bigint,
): string {
  return JSON.stringify({
    path,
    changed: isDelete ? 0 : changed,
    deleted: isDelete ? changed : 0,
    inserted,
    timestamp: String(timestamp),
    timestamp_utc: hybridTimeText(timestamp),
  });
}
