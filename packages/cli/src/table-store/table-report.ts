/** The structure of a table store: as JSON and as text. */
import { toHex } from "@cfile/bytes";
import { printable } from "@cfile/cell-text";
import type { RowSetColumn, RowSetReader, RowSetSchema } from "@cfile/rowset";
import type { TableStore } from "@cfile/rowset/store";
import { hybridTimeLabel, hybridTimeText } from "../options/hybrid-time.js";
import { shortName } from "../options/names.js";
import type { Style } from "../program/output/styles.js";
import { keyText } from "../records/key-text.js";
import { counted, countText, sizeText, sum } from "../records/quantity.js";
import { factLines, left, right, tableLines } from "../records/table.js";
import { typeText } from "../table/schema.js";

export function tableJson(table: TableStore): Readonly<Record<string, unknown>> {
  const { schema, lastTimestamp, historyStart, rowSets, files } = table;
  return {
    kind: "rowset",
    last_timestamp: String(lastTimestamp),
    last_timestamp_utc: hybridTimeText(lastTimestamp),
    history_start: String(historyStart),
    columns: schema.columns.map(columnJson),
    row_sets: rowSets.map(({ rowCount, minKey, maxKey, files: { redo, undo } }, i) => ({
      rows: rowCount,
      min_key: toHex(minKey),
      max_key: toHex(maxKey),
      redo_files: redo.length,
      undo_files: undo.length,
      files: files[i],
    })),
  };
}

function columnJson(column: RowSetColumn): Readonly<Record<string, unknown>> {
  const { id, name, type, nullable, array, isKey, encoding, compression, scale } = column;
  return { id, name, type, nullable, array, key: isKey, encoding, compression, scale };
}

export function tableReport(table: TableStore, path: string, style: Style): string[] {
  const { schema, lastTimestamp, historyStart, rowSets, files } = table;
  const bytes = sum(files.flat().map((file) => file.bytes));
  return [
    style("bold", printable(path)),
    ...factLines([
      ["kind", "table store"],
      ["base rows", countText(sum(rowSets.map(({ rowCount }) => rowCount)))],
      ["size", `${sizeText(bytes)} in ${counted(files.flat().length, "file")}`],
      ["last write", lastTimestamp === 0n ? "no write with a timestamp" : hybridTimeLabel(lastTimestamp)],
      ["history", historyStart === 0n ? "complete" : `from ${hybridTimeLabel(historyStart)}`],
    ]),
    "",
    style("bold", "Columns"),
    ...columnLines(schema),
    ...rowSets.flatMap((reader, i) => [
      "",
      style("bold", rowSets.length === 1 ? "Files" : `DiskRowSet ${i}`),
      ...rowSetLines(reader),
      "",
      ...fileLines(files[i] ?? []),
    ]),
  ];
}

function columnLines({ columns }: RowSetSchema): string[] {
  return tableLines(
    [right("id"), left("column"), left("type"), left("encoding"), left("compression"), left("")],
    columns.map((column) => [
      String(column.id),
      printable(column.name),
      typeText(column),
      shortName(column.encoding ?? "AUTO_ENCODING"),
      shortName(column.compression ?? "NO_COMPRESSION"),
      column.isKey ? "key" : "",
    ]),
  );
}

function rowSetLines({ schema, rowCount, minKey, maxKey }: RowSetReader): string[] {
  return factLines([
    ["base rows", countText(rowCount)],
    ["first key", keyText(schema, minKey)],
    ["last key", keyText(schema, maxKey)],
  ]);
}

function fileLines(files: readonly { readonly file: string; readonly bytes: number }[]): string[] {
  return tableLines(
    [left("file"), right("bytes")],
    files.map(({ file, bytes }) => [printable(file), countText(bytes)]),
  );
}
