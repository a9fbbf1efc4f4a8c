/** Tables in any form that is told by the ending of its name: opened, and written. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { AlignedRows } from "@cfile/encodings";
import { openSink, openSource, readExactly, sizeOf } from "@cfile/io";
import type { ParquetColumn, ParquetTable } from "@cfile/parquet";
import { openRowSet } from "@cfile/rowset";
import { type CFileCreator, createCFile, openCFile } from "cfile";
import { columnFileNames } from "./column-file-names.js";
import { UsageError } from "./exit-code.js";
import { rowSetFolder } from "./row-set-path.js";

/** A table, and what gives back its files. */
export interface OpenTable extends ParquetTable {
  close(): Promise<void>;
}

const READ_BYTES = 1 << 20;

/** Whether a name is of Arrow IPC, and in which form. */
function arrowFormat(path: string): "file" | "stream" | undefined {
  return /\.(arrow|feather)$/i.test(path) ? "file" : /\.arrows$/i.test(path) ? "stream" : undefined;
}

const isParquet = (path: string): boolean => /\.parquet$/i.test(path);
const isCFile = (path: string): boolean => /\.cfile$/i.test(path);

/** Opens a row set, an Arrow or Parquet file, or CFiles, which are the columns of one table. */
export async function openTable(
  paths: readonly string[],
  signal: AbortSignal | undefined,
): Promise<OpenTable> {
  const [first = "", ...others] = paths;
  const folder = await rowSetFolder(first);
  const isWhole = folder !== undefined || isParquet(first) || arrowFormat(first) !== undefined;
  if (isWhole && others.length > 0) {
    throw new UsageError(`${first} is a table by itself; one source is expected`);
  }
  if (folder !== undefined) {
    const rowSet = await openRowSet(folder, { signal });
    return { columns: rowSet.schema.columns, rows: rowSet.scan({ signal }), close: () => rowSet.close() };
  }
  if (isParquet(first)) {
    return openParquetTable(first, signal);
  }
  return arrowFormat(first) === undefined ? openFiles(paths, signal) : openArrow(first);
}

async function openParquetTable(path: string, signal: AbortSignal | undefined): Promise<OpenTable> {
  const { openParquet } = await import("@cfile/parquet");
  const file = await openParquet(path, { signal });
  const [refused] = file.refused;
  if (refused !== undefined) {
    await file.close();
    throw new UsageError(`${path}: column ${refused.name} cannot be converted: ${refused.reason}`);
  }
  return { columns: file.columns, rows: file.scan(), close: () => file.close() };
}

async function openArrow(path: string): Promise<OpenTable> {
  const { apacheArrow } = await import("@cfile/arrow");
  const arrow = await apacheArrow();
  const source = await openSource(path);
  async function* bytes(): AsyncGenerator<Uint8Array, void, void> {
    const size = await sizeOf(source);
    for (let offset = 0; offset < size; offset += READ_BYTES) {
      yield await readExactly(source, offset, Math.min(READ_BYTES, size - offset));
    }
  }
  const { columns, rows } = await arrow.readIpc(bytes());
  return { columns, rows, close: async () => source.close?.() };
}

async function openFiles(paths: readonly string[], signal: AbortSignal | undefined): Promise<OpenTable> {
  const { tableOfFiles } = await import("@cfile/parquet");
  const files = await Promise.all(paths.map((path) => openCFile(path, { signal })));
  const named = paths.map((path, i) => [columnName(path), files[i]] as const);
  const byName = Object.fromEntries(
    named.flatMap(([name, file]) => (file === undefined ? [] : [[name, file]])),
  );
  if (Object.keys(byName).length < paths.length) {
    throw new UsageError("two sources have the same name, and are no columns of one table");
  }
  const close = async (): Promise<void> => {
    await Promise.all(files.map((file) => file.close()));
  };
  return { ...tableOfFiles(byName), close };
}

/** `dir/amount.cfile` is the column `amount`. */
function columnName(path: string): string {
  const name = path.split(/[\\/]/).at(-1) ?? path;
  return name.replace(/\.cfile$/i, "");
}

/** Writes a table; returns its rows. A name that ends in `/` is a folder with a CFile for each column. */
export async function writeTable(target: string, table: ParquetTable): Promise<number> {
  const format = arrowFormat(target);
  if (isParquet(target)) {
    const { exportParquet } = await import("@cfile/parquet");
    return (await exportParquet(target, table)).rows;
  }
  if (format !== undefined) {
    return writeArrow(target, table, format);
  }
  if (isCFile(target) && table.columns.length === 1) {
    return writeFiles([target], table);
  }
  if (target.endsWith("/")) {
    await mkdir(target, { recursive: true });
    const names = columnFileNames(table.columns.map(({ name }) => name));
    return writeFiles(
      names.map((name) => join(target, name)),
      table,
    );
  }
  throw new UsageError(
    `${target}: a name in .parquet, .arrow, .feather or .arrows is expected, in / for a CFile a column, or in .cfile for one column (CSV: cfile write, cfile rowset scan --csv)`,
  );
}

async function writeArrow(target: string, table: ParquetTable, format: "file" | "stream"): Promise<number> {
  const { apacheArrow } = await import("@cfile/arrow");
  const arrow = await apacheArrow();
  const sink = await openSink(target);
  let count = 0;
  async function* counted(): AsyncGenerator<AlignedRows, void, void> {
    for await (const rows of table.rows) {
      count += rows.length;
      yield rows;
    }
  }
  try {
    for await (const piece of arrow.ipc({ columns: table.columns, rows: counted() }, { format })) {
      await sink.write(piece);
    }
    await sink.close();
  } catch (error) {
    await sink.abort(error);
    throw error;
  }
  return count;
}

async function writeFiles(paths: readonly string[], { columns, rows }: ParquetTable): Promise<number> {
  const targets: CFileCreator[] = [];
  let count = 0;
  try {
    for (const [i, column] of columns.entries()) {
      targets.push(await createCFile(paths[i] ?? "", writerOptions(column)));
    }
    for await (const part of rows) {
      await Promise.all(part.columns.map((batch, i) => targets[i]?.append(batch)));
      count += part.length;
    }
    for (const target of targets) {
      await target.finish();
    }
    return count;
  } finally {
    await Promise.all(targets.map((target) => target.close()));
  }
}

function writerOptions({ type, nullable, array }: ParquetColumn) {
  return { type, nullable, array };
}
