/** Writes tables in any form. After a failure nothing is left behind. */
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
import { sum } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import { findColumn } from "../table/schema.js";
import type { TableForm } from "./table-form.js";

export interface TargetSettings {
  readonly form: TableForm;
  /** Columns of the primary key of a table store. */
  readonly keyNames: readonly string[] | undefined;
  /** Columns by which the rows are sorted, if known. */
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
      return writeStore(target, table, keyNames);
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

async function writeStore(
  target: string,
  table: TableRows,
  keyNames: readonly string[] | undefined,
): Promise<WrittenTable> {
  if (keyNames === undefined) {
    throw new UsageError(
      "missing option: --key (columns of the table store's primary key, separated by commas)",
    );
  }
  const order = [
    ...keyNames,
    ...table.columns.map(({ name }) => name).filter((name) => !keyNames.includes(name)),
  ];
  const selected = order.map((name) => findColumn("--key", name, table.columns));
  const positions = selected.map((column) => table.columns.indexOf(column));
  const columns = selected.map(({ name, type, nullable, array, precision, scale }, i): RowSetColumn => {
    return { id: i + 1, name, type, nullable, array, precision, scale, isKey: i < keyNames.length };
  });
  return inNewFolder(target, async () => {
    await using writer = await createTableStore(target, { columns });
    for await (const rows of table.rows) {
      await writer.append(positions.flatMap((position) => rows.columns[position] ?? []));
    }
    await writer.finish();
    await using store = await openTableStore(target);
    return { bytes: sum(store.files.flat().map((file) => file.bytes)) };
  });
}

function writeFolder(target: string, table: TableRows): Promise<WrittenTable> {
  return inNewFolder(target, () => {
    const names = columnFileNames(table.columns.map(({ name }) => name));
    const paths = names.map((name) => join(target, name));
    return writeFiles(paths, table);
  });
}

/** Removes a directory that did not exist when `write` fails. */
export async function inNewFolder<T>(folder: string, write: () => Promise<T>): Promise<T> {
  const created = await mkdir(folder, { recursive: true });
  try {
    return await write();
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
      `a CFile has one column, but the table has ${columns.length} (give a directory that ends in / for a CFile per column)`,
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
  return { bytes: sum(sizes.map(({ size }) => size)) };
}

function writerOptions(column: TableColumn) {
  const { type, nullable, array } = column;
  return { type, nullable, array, footerMetadata: digitsMetadata(column) };
}
