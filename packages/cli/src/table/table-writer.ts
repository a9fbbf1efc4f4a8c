/** A table as one CFile a column. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { CFileError } from "@cfile/bytes";
import { fileDirectory } from "@cfile/io/file";
import type { CFileWriter, InputCell, WriterOptions, WrittenFile } from "cfile";
import { createCFile } from "cfile";
import { columnFileNames } from "../files/column-file-names.js";
import { type CellMaker, cellMaker } from "../records/raw-cell.js";
import type { ColumnSpec } from "./schema.js";
import { columnPositions, type TableSource } from "./table-columns.js";
import type { Table } from "./table-rows.js";

export interface TableColumn {
  readonly spec: ColumnSpec;
  readonly options: WriterOptions;
}

export interface WrittenColumn extends WrittenFile {
  readonly column: TableColumn;
  readonly path: string;
}

export interface TableTarget extends TableSource {
  readonly directory: string;
  /** Whether nulls are empty fields of CSV. */
  readonly emptyFields: boolean;
  /** Whether the files are on the disk when this is done. */
  readonly sync: boolean;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes all columns side by side. The files get their names when all of them are complete: after a failure the
 * directory is as it was.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` naming column and row for a value that does not fit
 */
export async function writeTable(
  table: Table,
  columns: readonly TableColumn[],
  target: TableTarget,
): Promise<WrittenColumn[]> {
  const { directory } = target;
  const created = await mkdir(directory, { recursive: true });
  let unfinished: string | undefined;
  try {
    unfinished = await mkdtemp(join(directory, ".cfile-write-"));
    const written = await writeColumns(table, columns, unfinished, target);
    for (const [i, name] of columnFileNames(columns.map(({ spec }) => spec.name)).entries()) {
      await rename(join(unfinished, `${i}`), join(directory, name));
    }
    // The new names survive a power cut only when the directory is on the disk.
    await (await fileDirectory(directory, { sync: target.sync })).sync();
    await rm(unfinished, { recursive: true });
    return written;
  } catch (error) {
    const left = created ?? unfinished;
    if (left !== undefined) {
      await rm(left, { recursive: true, force: true });
    }
    throw error;
  }
}

async function writeColumns(
  table: Table,
  columns: readonly TableColumn[],
  folder: string,
  target: TableTarget,
): Promise<WrittenColumn[]> {
  const writers: ColumnWriter[] = [];
  try {
    for (const [i, column] of columns.entries()) {
      writers.push(await ColumnWriter.create(column, join(folder, `${i}`), target));
    }
    await appendRows(table, writers, target);
    const names = columnFileNames(columns.map(({ spec }) => spec.name));
    const written: WrittenColumn[] = [];
    for (const [i, writer] of writers.entries()) {
      written.push({
        column: writer.column,
        path: join(target.directory, names[i] ?? ""),
        ...(await writer.finish()),
      });
    }
    return written;
  } catch (error) {
    for (const writer of writers) {
      await writer.close();
    }
    throw error;
  }
}

/** Rows, or characters, that are gathered before they are handed on. */
const GATHERED_ROWS = 4096;
const GATHERED_CHARACTERS = 1 << 24;

async function appendRows(
  table: Table,
  writers: readonly ColumnWriter[],
  target: TableTarget,
): Promise<void> {
  const specs = writers.map(({ column: { spec } }) => spec);
  let positions: number[] | undefined;
  let row = 0;
  let gathered = 0;
  let characters = 0;
  const flush = async (): Promise<void> => {
    for (const writer of writers) {
      await writer.flush();
    }
    gathered = 0;
    characters = 0;
  };
  for await (const rows of table.rows) {
    target.signal?.throwIfAborted();
    // Columns of NDJSON may come later than its first row.
    if (positions === undefined || positions.includes(-1)) {
      positions = columnPositions(table, specs, target);
    }
    for (const cells of rows) {
      for (let i = 0; i < writers.length; i++) {
        const raw = cells[positions[i] ?? -1];
        characters += typeof raw === "string" ? raw.length : 1;
        writers[i]?.add(raw, row);
      }
      row++;
      if (++gathered >= GATHERED_ROWS || characters >= GATHERED_CHARACTERS) {
        await flush();
      }
    }
  }
  columnPositions(table, specs, target);
  await flush();
}

class ColumnWriter {
  readonly column: TableColumn;
  private readonly writer: CFileWriter;
  private readonly make: CellMaker;
  private readonly path: string;
  private cells: InputCell[] = [];

  private constructor(column: TableColumn, writer: CFileWriter, { emptyFields, path }: TableTarget) {
    this.column = column;
    this.writer = writer;
    this.make = cellMaker(column.spec, emptyFields, path);
    this.path = path;
  }

  static async create(column: TableColumn, file: string, target: TableTarget): Promise<ColumnWriter> {
    const writer = await named(column, target.path, () =>
      createCFile(file, { ...column.options, sync: target.sync }),
    );
    return new ColumnWriter(column, writer, target);
  }

  add(raw: Parameters<CellMaker>[0], row: number): void {
    this.cells.push(this.make(raw, row));
  }

  async flush(): Promise<void> {
    const cells = this.cells;
    this.cells = [];
    if (cells.length > 0) {
      await named(this.column, this.path, () => this.writer.append(cells));
    }
  }

  finish(): Promise<WrittenFile> {
    return named(this.column, this.path, () => this.writer.finish());
  }

  close(): Promise<void> {
    return this.writer.abort();
  }
}

/** Puts the column's name, and the input's, on what goes wrong with the values. */
async function named<T>({ spec }: TableColumn, path: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (
      error instanceof CFileError &&
      (error.code === "E_INVALID_ARGUMENT" || error.code === "E_UNSUPPORTED")
    ) {
      throw new CFileError(error.code, `column "${spec.name}": ${error.reason}`, { path, cause: error });
    }
    throw error;
  }
}
