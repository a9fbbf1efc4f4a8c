/** Splits of a dataset of CFiles. */
import { CFileError, corrupt, isCFileError, isDamage } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource, SourceInput } from "@cfile/io";
import type { RowSetColumn } from "@cfile/rowset";
import type { DatasetFiles } from "cfile/dataset";
import type { FilePiece, Split } from "../lines/split.js";
import { identifiedSplit } from "../lines/split-line.js";
import { type Stretches, stretchesOf } from "./column-blocks.js";
import { neededColumns, type PlanOptions } from "./plan-options.js";
import { identityOf, type OpenLocation } from "./source-identity.js";
import { type Divisible, groupsOf, targetBytes } from "./split-groups.js";

/** How CFiles are split. */
export interface FilePlanOptions extends PlanOptions {
  readonly open: OpenLocation;
}

/** Parts that are looked at together. */
const AT_ONCE = 8;

/** What is to be planned. */
interface Wanted {
  readonly schema: readonly RowSetColumn[];
  /** Places of the columns that are needed, among those of the dataset. */
  readonly places: readonly number[];
  readonly target: number;
}

/**
 * A dataset of CFiles in independent pieces. Of each file the footer and, where it is divided, the positional index are read. A part
 * with a file that is damaged there is not divided: reading it will tell.
 *
 * @throws CFileError `E_UNSUPPORTED` for files that are no paths or URLs; `E_INVALID_ARGUMENT` for columns that are not there;
 *   `E_CORRUPT` for files that are not of the same type or rows; what opening files throws, but for damage
 */
export async function planFiles(
  { columns: names, parts }: DatasetFiles,
  options: FilePlanOptions,
): Promise<Split[]> {
  const target = targetBytes(options.targetBytes);
  const located = parts.map(({ files }) => files.map(locationOf));
  const schema = await schemaOf(names, located, options);
  const { ids, columns, where } = neededColumns({ columns: schema }, options);
  const places = [...ids];
  const nullable = new Set<number>();
  const wholes: Divisible<FilePiece>[] = [];
  for (let first = 0; first < located.length; first += AT_ONCE) {
    options.signal?.throwIfAborted();
    const some = located.slice(first, first + AT_ONCE);
    const plans = some.map((files) => planPart(files, { schema, places, target }, nullable, options));
    wholes.push(...(await Promise.all(plans)).flat());
  }
  const kept = schema
    .map((column, place) => ({ ...column, nullable: column.nullable || nullable.has(place) }))
    .filter((_, place) => places.includes(place));
  const groups = groupsOf(wholes, target);
  return Promise.all(
    groups.map((group, number) =>
      identifiedSplit({ number, kind: "cfiles", schema: kept, columns, where, ...group }),
    ),
  );
}

/** Types of the columns, each from the first sound file of it. */
async function schemaOf(
  names: readonly string[],
  parts: readonly (readonly string[])[],
  options: FilePlanOptions,
): Promise<RowSetColumn[]> {
  const schema: RowSetColumn[] = [];
  for (const [place, name] of names.entries()) {
    let failure: unknown;
    for (const files of parts) {
      try {
        const source = await options.open(files[place] ?? "");
        const { type, nullable, array } = await using(source, (reader) => reader, options);
        schema.push({ id: place, name, type, nullable, array, isKey: false });
        break;
      } catch (error) {
        if (!isDamage(error)) {
          throw error;
        }
        failure ??= error;
      }
    }
    if (schema.length <= place && parts.length > 0) {
      throw failure;
    }
  }
  return schema;
}

async function using<T>(
  source: ByteSource,
  work: (reader: CFileReader) => T | Promise<T>,
  { signal }: FilePlanOptions,
): Promise<T> {
  try {
    return await work(await openCFile(source, { signal }));
  } finally {
    await source.close?.();
  }
}

/** @param nullable takes the places of columns that are */
async function planPart(
  paths: readonly string[],
  wanted: Wanted,
  nullable: Set<number>,
  options: FilePlanOptions,
): Promise<Divisible<FilePiece>[]> {
  const { signal } = options;
  const { schema, places, target } = wanted;
  const files: FilePiece["files"][number][] = [];
  const readers: CFileReader[] = [];
  const sources: ByteSource[] = [];
  let isDamaged = false;
  try {
    for (const place of places) {
      const column = schema[place] as RowSetColumn;
      const path = paths[place] ?? "";
      const source = await options.open(path);
      sources.push(source);
      files.push({ column: column.name, ...(await identityOf(path, source, { signal })) });
      try {
        const reader = await openCFile(source, { signal });
        checkColumn(reader, column, readers[0]);
        readers.push(reader);
        if (reader.nullable) {
          nullable.add(place);
        }
      } catch (error) {
        if (!isDamage(error) || isMismatch(error)) {
          throw error;
        }
        isDamaged = true;
      }
    }
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rows = readers[0]?.rowCount ?? 0;
    if (rows === 0 && !isDamaged) {
      return [];
    }
    const isLarge = bytes > target && !isDamaged;
    const stretches = isLarge ? await stretchesOrWhole(readers, bytes, signal) : undefined;
    return [{ piece: { files }, rows, bytes, stretches }];
  } finally {
    await Promise.all(sources.map((source) => source.close?.()));
  }
}

/** An index that is damaged divides nothing. */
async function stretchesOrWhole(
  readers: readonly CFileReader[],
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<Stretches | undefined> {
  try {
    return await stretchesOf(readers, bytes, signal);
  } catch (error) {
    if (isDamage(error)) {
      return undefined;
    }
    throw error;
  }
}

const MISMATCH: readonly (string | undefined)[] = ["data_type", "rows"];

function isMismatch(error: unknown): boolean {
  return isCFileError(error, "E_CORRUPT") && MISMATCH.includes(error.field);
}

function checkColumn(
  { path, kind, type, array, rowCount }: CFileReader,
  column: RowSetColumn,
  first: CFileReader | undefined,
): void {
  if (kind !== "column" || type !== column.type || array !== column.array) {
    const what = kind === "column" ? `${type}${array ? ", arrays" : ""}` : `a ${kind} file`;
    throw corrupt(`the file is ${what}, the column ${column.type}${column.array ? ", arrays" : ""}`, {
      path,
      field: "data_type",
      expected: column.type,
      actual: type,
    });
  }
  if (first !== undefined && first.rowCount !== rowCount) {
    throw corrupt(`the file has ${rowCount} rows, its part has ${first.rowCount}`, {
      path,
      field: "rows",
      expected: first.rowCount,
      actual: rowCount,
    });
  }
}

function locationOf(file: SourceInput): string {
  if (typeof file === "string" || file instanceof URL) {
    return String(file);
  }
  throw new CFileError("E_UNSUPPORTED", "only files with a path or URL can be opened elsewhere", {
    field: "files",
  });
}
