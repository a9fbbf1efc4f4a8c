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
    const names = columnFileNames(columns.map(({ spec }) => spec.name));
    const files = columns.map((column, i) => {
      const { spec, options } = column;
      const finalPath = join(directory, names[i] ?? "");
      return {
        path: join(folder, `${i}`),
        finalPath,
        name: spec.name,
        options: { ...options, sync },
        column,
      };
    });
    const written: WrittenColumn[] = [];
    for (const { file, ...result } of await writeCFiles(batches, files, target.path)) {
      await rename(file.path, file.finalPath);
      written.push({ column: file.column, path: file.finalPath, ...result });
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
export async function writeCFiles<F extends NewCFile>(
  batches: AsyncIterable<TableBatch>,
  files: readonly F[],
  input: string,
): Promise<(WrittenFile & { readonly file: F })[]> {
  const opened: { readonly file: F; readonly writer: CFileWriter }[] = [];
  const named = <T>({ name }: F, action: Promise<T>): Promise<T> =>
    action.catch((error: unknown) => {
      throw columnError(error, name, input);
    });
  try {
    for (const file of files) {
      opened.push({ file, writer: await named(file, createCFile(file.path, file.options)) });
    }
    for await (const { columns } of batches) {
      await Promise.all(opened.map(({ file, writer }, i) => named(file, writer.append(columns[i] ?? []))));
    }
    return await Promise.all(
      opened.map(async ({ file, writer }) => ({ file, ...(await named(file, writer.finish())) })),
    );
  } catch (error) {
    await Promise.all(opened.map(({ writer }) => writer.abort()));
    throw error;
  }
}
