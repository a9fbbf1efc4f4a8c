/** What a row set is made of: as JSON, and for people. */

import { isCFileError, toHex } from "@cfile/bytes";
import { clipped, isText, printable } from "@cfile/cell-text";
import type { DataType } from "@cfile/encodings";
import type { KeyValue } from "@cfile/encodings/keys";
import { decodeCompositeKey } from "@cfile/encodings/keys";
import type { RowSetColumn, RowSetReader, RowSetSchema } from "@cfile/rowset";
import type { TableStore } from "@cfile/rowset/store";
import { hybridTimeLabel, hybridTimeText } from "../options/hybrid-time.js";
import { shortName } from "../options/names.js";
import type { Style } from "../program/styles.js";
import { counted, countText, sizeText } from "../records/quantity.js";
import { tableLines } from "../records/table.js";
import { typeText } from "../table/schema.js";

export function rowSetJson(handle: TableStore): Readonly<Record<string, unknown>> {
  const { schema, lastTimestamp, historyStart, rowSets, files } = handle;
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

/** The lines of the report. */
export function rowSetReport(handle: TableStore, path: string, style: Style): string[] {
  const { schema, lastTimestamp, historyStart, rowSets, files } = handle;
  const bytes = files.flat().reduce((sum, file) => sum + file.bytes, 0);
  return [
    style("bold", printable(path)),
    ...tableLines(
      [{ title: "" }, { title: "" }],
      [
        ["kind", "row set"],
        ["base rows", countText(rowSets.reduce((sum, { rowCount }) => sum + rowCount, 0))],
        ["size", `${sizeText(bytes)} in ${counted(files.flat().length, "file")}`],
        ["last write", lastTimestamp === 0n ? "none with a timestamp" : hybridTimeLabel(lastTimestamp)],
        ["history", historyStart === 0n ? "whole" : `from ${hybridTimeLabel(historyStart)}`],
      ],
    ),
    "",
    style("bold", "Columns"),
    ...columnLines(schema),
    ...rowSets.flatMap((reader, i) => [
      "",
      style("bold", rowSets.length === 1 ? "Files" : `Row set ${i}`),
      ...rowSetLines(reader),
      "",
      ...fileLines(files[i] ?? []),
    ]),
  ];
}

function columnLines({ columns }: RowSetSchema): string[] {
  return tableLines(
    [
      { title: "id", align: "right" },
      { title: "column" },
      { title: "type" },
      { title: "encoding" },
      { title: "compression" },
      { title: "" },
    ],
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
  return tableLines(
    [{ title: "" }, { title: "" }],
    [
      ["base rows", countText(rowCount)],
      ["first key", keyText(schema, minKey)],
      ["last key", keyText(schema, maxKey)],
    ],
  );
}

function fileLines(files: readonly { readonly file: string; readonly bytes: number }[]): string[] {
  return tableLines(
    [{ title: "file" }, { title: "bytes", align: "right" }],
    files.map(({ file, bytes }) => [printable(file), countText(bytes)]),
  );
}

const MOST_KEY_CHARACTERS = 60;

/** The cells of an encoded key with commas between, or its bytes when it is no key of the schema. */
export function keyText({ columns }: RowSetSchema, key: Uint8Array): string {
  const types = columns.filter(({ isKey }) => isKey).map(({ type }) => type);
  try {
    const cells = decodeCompositeKey(types, key).map((cell, i) => cellText(cell, types[i] ?? "BINARY"));
    return clipped(cells.join(", "), MOST_KEY_CHARACTERS);
  } catch (error) {
    if (!isCFileError(error)) {
      throw error;
    }
    return clipped(toHex(key), MOST_KEY_CHARACTERS);
  }
}

function cellText(cell: KeyValue, type: DataType): string {
  if (!(cell instanceof Uint8Array)) {
    return String(cell);
  }
  return isText(type) ? printable(new TextDecoder().decode(cell)) : toHex(cell);
}
