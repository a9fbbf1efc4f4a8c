/** Tables in any form, written. What cannot be completed leaves nothing behind. */
import { mkdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { Writable } from "node:stream";
import type { TableColumn, TableRows } from "@cfile/format";
import { digitsMetadata } from "@cfile/format";
import { type ByteSink, openSink } from "@cfile/io";

import type { RowSetColumn } from "@cfile/rowset";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import type { CFileWriter } from "cfile";
import { createCFile } from "cfile";
import { columnFileNames } from "../files/column-file-names.js";
import { UsageError } from "../program/exit-code.js";
import { TextOutput } from "../program/text-output.js";
import { columnCells } from "../records/field-cells.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import type { TableForm } from "./table-form.js";

export interface TargetSettings {
  readonly form: TableForm;
  /** Columns of the primary key of a row set. */
  readonly keyNames: readonly string[] | undefined;
  /** Columns by which the rows are sorted, where that is known. */
  readonly sortedBy?: readonly string[] | undefined;
}

export interface WrittenTable {
  readonly bytes: number;
}

export async function writeTable(
  target: string,
  table: TableRows,
  { form, keyNames, sortedBy }: TargetSettings,
): Promise<WrittenTable> {
  switch (form) {
    case "csv":
    case "ndjson":
      return toSink(target, (sink) => writeText(table, form, sink));
    case "parquet": {
      const { exportParquet } = await import("@cfile/parquet/write");
      return exportParquet(target, table, { sortedBy });
    }
    case "arrow":
    case "arrows":
      return toSink(target, (sink) => writeArrow(table, form === "arrow" ? "file" : "stream", sink));
    case "rowset":
      return writeRowSet(target, table, keyNames);
    case "cfile":
      return /\.cfile$/i.test(target) ? writeFiles([target], table) : writeFolder(target, table);
  }
}

async function toSink(target: string, write: (sink: ByteSink) => Promise<void>): Promise<WrittenTable> {
  const sink = await openSink(target);
  let bytes = 0;
  const counting: ByteSink = {
    name: sink.name,
    write: (piece, given) => {
      bytes += piece.length;
      return sink.write(piece, given);
    },
    close: () => sink.close(),
    abort: (reason) => sink.abort(reason),
  };
  try {
    await write(counting);
    await sink.close();
    return { bytes };
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
}

async function writeArrow(table: TableRows, format: "file" | "stream", sink: ByteSink): Promise<void> {
  const { apacheArrow } = await import("@cfile/arrow/apache");
  const arrow = await apacheArrow();
  for await (const piece of arrow.ipc(table, { format })) {
    await sink.write(piece);
  }
}

async function writeText(table: TableRows, form: "csv" | "ndjson", sink: ByteSink): Promise<void> {
  const stream = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      sink.write(chunk).then(() => done(), done);
    },
  });
  const output = new TextOutput(stream);
  try {
    await writeRecords(table, form, output);
    await output.flush();
  } finally {
    output.release();
  }
}

async function writeRecords(table: TableRows, form: "csv" | "ndjson", output: TextOutput): Promise<void> {
  const writer = new RecordWriter(table.columns.map(columnField), form, output);
  for await (const { length, columns } of table.rows) {
    await writer.write(
      length,
      columns.map((batch, i) => columnCells(batch, { decode: true, scale: table.columns[i]?.scale })),
    );
  }
  await writer.finish();
}

async function writeRowSet(
  target: string,
  table: TableRows,
  keyNames: readonly string[] | undefined,
): Promise<WrittenTable> {
  if (keyNames === undefined) {
    throw new UsageError("a row set needs --key: the columns of its primary key, with commas between");
  }
  const order = [
    ...keyNames,
    ...table.columns.map(({ name }) => name).filter((name) => !keyNames.includes(name)),
  ];
  const positions = order.map((name) => table.columns.findIndex((column) => column.name === name));
  const columns = positions.map((position, i): RowSetColumn => {
    const column = table.columns[position];
    if (column === undefined) {
      const known = table.columns.map(({ name }) => name).join(", ");
      throw new UsageError(`--key: there is no column "${order[i]}"; there are ${known}`);
    }
    const { name, type, nullable, array, precision, scale } = column;
    return { id: i + 1, name, type, nullable, array, precision, scale, isKey: i < keyNames.length };
  });
  const created = await mkdir(target, { recursive: true });
  try {
    await using creation = await createTableStore(target, { columns });
    for await (const rows of table.rows) {
      await creation.append(positions.flatMap((position) => rows.columns[position] ?? []));
    }
    await creation.finish();
  } catch (error) {
    if (created !== undefined) {
      await rm(created, { recursive: true, force: true });
    }
    throw error;
  }
  await using rowSet = await openTableStore(target);
  return { bytes: rowSet.files.flat().reduce((sum, file) => sum + file.bytes, 0) };
}

async function writeFolder(target: string, table: TableRows): Promise<WrittenTable> {
  const created = await mkdir(target, { recursive: true });
  try {
    const names = columnFileNames(table.columns.map(({ name }) => name));
    return await writeFiles(
      names.map((name) => join(target, name)),
      table,
    );
  } catch (error) {
    if (created !== undefined) {
      await rm(created, { recursive: true, force: true });
    }
    throw error;
  }
}

async function writeFiles(paths: readonly string[], { columns, rows }: TableRows): Promise<WrittenTable> {
  if (paths.length !== columns.length) {
    throw new UsageError(
      `a CFile has one column, and the table ${columns.length}; a folder, with / at its end, takes a CFile for each`,
    );
  }
  const targets: CFileWriter[] = [];
  try {
    for (const [i, column] of columns.entries()) {
      targets.push(await createCFile(paths[i] ?? "", writerOptions(column)));
    }
    for await (const part of rows) {
      await Promise.all(part.columns.map((batch, i) => targets[i]?.append(batch)));
    }
    for (const target of targets) {
      await target.finish();
    }
  } finally {
    await Promise.all(targets.map((target) => target.abort()));
  }
  const sizes = await Promise.all(paths.map((path) => stat(path)));
  return { bytes: sizes.reduce((sum, { size }) => sum + size, 0) };
}

function writerOptions(column: TableColumn) {
  const { type, nullable, array } = column;
  return { type, nullable, array, footerMetadata: digitsMetadata(column) };
}
