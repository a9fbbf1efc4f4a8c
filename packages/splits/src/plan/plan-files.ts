/** Splits of a dataset of CFiles. */
import { CFileError, corrupt, isDamage } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource, SourceInput } from "@cfile/io";
import type { RowSetColumn } from "@cfile/rowset";
import type { DatasetFiles } from "cfile/dataset";
import type { FilePiece, Split } from "../lines/split.js";
import { identifiedSplit } from "../lines/split-line.js";
import { stretchesOf } from "./column-blocks.js";
import { neededColumns, type PlanOptions } from "./plan-options.js";
import { identityOf, type OpenLocation } from "./source-identity.js";
import { type Divisible, groupsOf, mapAtOnce, targetBytes } from "./split-groups.js";
import { unlessDamaged } from "./undamaged.js";

/** Options of {@link planFiles}. */
export interface FilePlanOptions extends PlanOptions {
  readonly open: OpenLocation;
}

/** The required columns of a dataset, by index. */
type RequiredColumns = ReadonlyMap<number, RowSetColumn>;

/**
 * Plans splits of a dataset of CFiles. Reads the footer of each file, and the positional indexes of parts that are divided. A part
 * with damage there is not divided: reading it reports the damage.
 *
 * @throws {CFileError} `E_UNSUPPORTED` for files without a path or URL; `E_INVALID_ARGUMENT` for unknown columns; `E_CORRUPT` for files
 *   of another type or row count; as `open`; damage if all files of a column are damaged
 */
export async function planFiles(
  { columns: names, parts }: DatasetFiles,
  options: FilePlanOptions,
): Promise<Split[]> {
  const target = targetBytes(options.targetBytes);
  const located = parts.map(({ files }) => files.map(locationOf));
  const schema = await schemaOf(names, located, options);
  const { ids, columns, where } = neededColumns({ columns: schema }, options);
  const required = new Map([...schema.entries()].filter(([index]) => ids.has(index)));
  const nullable = new Set<number>();
  const wholes = await mapAtOnce(located, options.signal, (files) =>
    planPart(files, required, nullable, { ...options, targetBytes: target }),
  );
  const requiredSchema = [...required].map(([index, column]) => ({
    ...column,
    nullable: column.nullable || nullable.has(index),
  }));
  const common = { kind: "cfiles", schema: requiredSchema, columns, where } as const;
  const groups = groupsOf(wholes.flat(), target);
  return Promise.all(groups.map((group, number) => identifiedSplit({ number, ...common, ...group })));
}

/** Types of the columns, each from its first undamaged file. */
async function schemaOf(
  names: readonly string[],
  parts: readonly (readonly string[])[],
  options: FilePlanOptions,
): Promise<RowSetColumn[]> {
  const schema: RowSetColumn[] = [];
  for (const [id, name] of names.entries()) {
    let failure: unknown;
    for (const files of parts) {
      try {
        const { type, nullable, array } = await readerOf(files[id] ?? "", options);
        schema.push({ id, name, type, nullable, array, isKey: false });
        break;
      } catch (error) {
        if (!isDamage(error)) {
          throw error;
        }
        failure ??= error;
      }
    }
    if (schema.length <= id && parts.length > 0) {
      throw failure;
    }
  }
  return schema;
}

/** A reader with the footer of a file; the file is closed again. */
async function readerOf(path: string, { open, signal }: FilePlanOptions): Promise<CFileReader> {
  const source = await open(path);
  try {
    return await openCFile(source, { signal });
  } finally {
    await source.close?.();
  }
}

/** @param nullable receives the indexes of columns that are nullable in this part */
async function planPart(
  paths: readonly string[],
  required: RequiredColumns,
  nullable: Set<number>,
  { open, signal, targetBytes: target }: FilePlanOptions & { readonly targetBytes: number },
): Promise<Divisible<FilePiece>[]> {
  const files: FilePiece["files"][number][] = [];
  const readers: CFileReader[] = [];
  const sources: ByteSource[] = [];
  try {
    for (const [index, column] of required) {
      const path = paths[index] ?? "";
      const source = await open(path);
      sources.push(source);
      files.push({ column: column.name, ...(await identityOf(path, source, { signal })) });
      const reader = await unlessDamaged(() => openCFile(source, { signal }));
      if (reader !== undefined) {
        checkColumn(reader, column, readers[0]);
        readers.push(reader);
      }
      if (reader?.nullable) {
        nullable.add(index);
      }
    }
    const isDamaged = readers.length < required.size;
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rows = readers[0]?.rowCount ?? 0;
    if (rows === 0 && !isDamaged) {
      return [];
    }
    const isLarge = bytes > target && !isDamaged;
    // A part with a damaged index is not divided.
    const stretches = isLarge ? await unlessDamaged(() => stretchesOf(readers, bytes, signal)) : undefined;
    return [{ piece: { files }, rows, bytes, stretches }];
  } finally {
    await Promise.all(sources.map((source) => source.close?.()));
  }
}

function checkColumn(
  { path, kind, type, array, rowCount }: CFileReader,
  column: RowSetColumn,
  first: CFileReader | undefined,
): void {
  if (kind !== "column" || type !== column.type || array !== column.array) {
    const expected = `${column.type}${column.array ? " array" : ""}`;
    const actual = kind === "column" ? `${type}${array ? " array" : ""}` : `${kind} file`;
    const details = { path, field: "data_type", expected, actual };
    throw corrupt(`column ${JSON.stringify(column.name)} has another type in this file`, details);
  }
  if (first !== undefined && first.rowCount !== rowCount) {
    const details = { path, field: "rows", expected: first.rowCount, actual: rowCount };
    throw corrupt("row count differs from other files of the part", details);
  }
}

function locationOf(file: SourceInput): string {
  if (typeof file === "string" || file instanceof URL) {
    return String(file);
  }
  const reason = "cannot plan a file without a path or URL: readers could not open it";
  throw new CFileError("E_UNSUPPORTED", reason, { field: "files" });
}
