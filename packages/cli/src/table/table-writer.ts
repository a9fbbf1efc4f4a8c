/** Writes a table as a CFile per column. */
import { mkdir, mkdtemp, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { TableBatch } from "@cfile/encodings/batches";
import { fileDirectory } from "@cfile/io/file";
import { type CFileWriter, createCFile, type WriterOptions, type WrittenFile } from "cfile";
import { columnFileNames } from "../files/column-file-names.js";
import type { ColumnSpec } from "./schema.js";
import { columnError } from "./text-batches.js";

export interface TableColumn {
  readonly spec: ColumnSpec;
  readonly options: WriterOptions;
}

export interface WrittenColumn extends WrittenFile {
  readonly column: TableColumn;
  readonly path: string;
}

export interface TableTarget {
  readonly directory: string;
  /** Path of the input, for messages. */
  readonly path: string;
  /** Whether to wait until the files are on disk. */
  readonly sync: boolean;
}

/**
 * Writes all columns side by side. The files get their names when all of them are complete: after a failure the
 * directory is as it was.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` naming the column
 */
export async function writeTable(
  batches: AsyncIterable<TableBatch>,
  columns: readonly TableColumn[],
  target: TableTarget,
): Promise<WrittenColumn[]> {
  const { directory, sync } = target;
  const created = await mkdir(directory, { recursive: true });
  let unfinished: string | undefined;
  try {
    unfinished = await mkdtemp(join(directory, ".cfile-write-"));
    const folder = unfinished;
    const files = columns.map(({ spec: { name }, options }, i) => {
      return { path: join(folder, `${i}`), name, options: { ...options, sync } };
    });
    const results = await writeCFiles(batches, files, target.path);
    const names = columnFileNames(columns.map(({ spec }) => spec.name));
    const written: WrittenColumn[] = [];
    for (const [i, column] of columns.entries()) {
      const path = join(directory, names[i] ?? "");
      await rename(join(folder, `${i}`), path);
      written.push({ column, path, ...(results[i] as WrittenFile) });
    }
    // The new names survive a power cut only when the directory is on disk.
    await (await fileDirectory(directory, { sync })).sync();
    await rm(folder, { recursive: true });
    return written;
  } catch (error) {
    const left = created ?? unfinished;
    if (left !== undefined) {
      await rm(left, { recursive: true, force: true });
    }
    throw error;
  }
}

export interface NewCFile {
  readonly path: string;
  /** Name of the column. */
  readonly name: string;
  readonly options: WriterOptions;
}

/**
 * Writes each column of the batches to a file.
 *
 * @param input path of the input, for messages
 */
export async function writeCFiles(
  batches: AsyncIterable<TableBatch>,
  files: readonly NewCFile[],
  input: string,
): Promise<WrittenFile[]> {
  const writers: CFileWriter[] = [];
  const forEach = <T>(action: (file: NewCFile, i: number) => Promise<T>): Promise<T[]> =>
    Promise.all(
      files.map((file, i) =>
        action(file, i).catch((error: unknown) => {
          throw columnError(error, file.name, input);
        }),
      ),
    );
  try {
    await forEach(async ({ path, options }, i) => {
      writers[i] = await createCFile(path, options);
    });
    for await (const { columns } of batches) {
      await forEach(async (_, i) => writers[i]?.append(columns[i] ?? []));
    }
    return await forEach((_, i) => (writers[i] as CFileWriter).finish());
  } catch (error) {
    await Promise.all(writers.map((writer) => writer.abort()));
    throw error;
  }
}
