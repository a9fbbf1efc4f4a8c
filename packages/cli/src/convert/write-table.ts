/** Writes tables in any format. A failure leaves nothing behind. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { MemoryArena } from "@cfile/bytes";
import { digitsMetadata, type TableRows } from "@cfile/format";
import type { SinkInput } from "@cfile/io";
import type { WrittenCodec } from "@cfile/parquet/write";
import type { RowSetColumn } from "@cfile/rowset";
import { createTableStore, openTableStore } from "@cfile/rowset/store";
import { columnFileNames } from "../files/column-file-names.js";
import { UsageError } from "../program/exit-code.js";
import { columnCells } from "../records/field-cells.js";
import { sum } from "../records/quantity.js";
import { RecordWriter } from "../records/record-writer.js";
import { columnField } from "../records/row-cells.js";
import { findColumn } from "../table/schema.js";
import { writeCFiles } from "../table/table-writer.js";
import type { FileForm, TableForm } from "./table-form.js";
import { type Add, toSink } from "./to-sink.js";

export interface TargetSettings {
  readonly form: TableForm;
  /** Primary key of a table store. */
  readonly keyNames: readonly string[] | undefined;
  /** Columns by which the rows are sorted, if known. */
  readonly sortedBy?: readonly string[] | undefined;
  /** Columns of Parquet with Bloom filters; booleans have none. Default: none. */
  readonly bloomFilters?: readonly string[] | undefined;
  /** Compression of Parquet. Default: Zstandard. */
  readonly codec?: WrittenCodec | undefined;
}

type Written = Promise<{ readonly bytes: number }>;

export async function writeTable(
  target: string,
  table: TableRows,
  { form, keyNames, ...settings }: TargetSettings,
): Written {
  switch (form) {
    case "rowset":
      return writeStore(target, table, keyNames);
    case "cfile":
      return /\.cfile$/i.test(target) ? writeFiles([target], table) : writeFolder(target, table);
    default:
      return writeTableFile(target, table, { form, ...settings });
  }
}

export interface FileSettings extends Omit<TargetSettings, "form" | "keyNames"> {
  readonly form: FileForm;
  /** Memory shared by consecutive files. Default: allocated for each file. */
  readonly arena?: MemoryArena | undefined;
}

export async function writeTableFile(
  target: SinkInput,
  table: TableRows,
  { form, sortedBy, bloomFilters = [], codec, arena }: FileSettings,
): Written {
  switch (form) {
    case "csv":
    case "ndjson":
      return toSink(target, (add) => writeText(table, form, add));
    case "parquet": {
      const { exportParquet } = await import("@cfile/parquet/write");
      const booleans = table.columns.filter(({ type }) => type === "BOOL").map(({ name }) => name);
      const filtered = bloomFilters.filter((name) => !booleans.includes(name));
      return exportParquet(target, table, { codec, sortedBy, bloomFilters: filtered, arena });
    }
    case "arrow":
    case "arrows":
      return toSink(target, (add) => writeArrow(table, form === "arrow" ? "file" : "stream", add));
  }
}

async function writeArrow(table: TableRows, format: "file" | "stream", add: Add): Promise<void> {
  const { apacheArrow } = await import("@cfile/arrow/apache");
  const arrow = await apacheArrow();
  for await (const piece of arrow.ipc(table, { format })) {
    await add(piece);
  }
}

async function writeText(table: TableRows, form: "csv" | "ndjson", add: Add): Promise<void> {
  const encoder = new TextEncoder();
  const write = (text: string): Promise<void> => add(encoder.encode(text));
  const output = { write, line: (text: string) => write(`${text}\n`) };
  const writer = new RecordWriter(output, table.columns.map(columnField), { format: form });
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
): Written {
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

function writeFolder(target: string, table: TableRows): Written {
  return inNewFolder(target, () => {
    const names = columnFileNames(table.columns.map(({ name }) => name));
    const paths = names.map((name) => join(target, name));
    return writeFiles(paths, table);
  });
}

/** Removes the directory when `write` fails, unless it existed before. */
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

async function writeFiles(paths: readonly string[], { columns, rows }: TableRows): Written {
  if (paths.length !== columns.length) {
    throw new UsageError(
      `a CFile has one column, but the table has ${columns.length} (give a directory that ends in / for a CFile per column)`,
    );
  }
  const files = columns.map((column, i) => {
    const { name, type, nullable, array } = column;
    const options = { type, nullable, array, footerMetadata: digitsMetadata(column) };
    return { path: paths[i] ?? "", name, options };
  });
  const written = await writeCFiles(rows, files, "the source");
  return { bytes: sum(written.map(({ bytes }) => bytes)) };
}
