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

/** How CFiles are split. */
export interface FilePlanOptions extends PlanOptions {
  readonly open: OpenLocation;
}

/** What to plan. */
interface Wanted {
  /** Columns of the dataset. */
  readonly schema: readonly RowSetColumn[];
  /** Indexes of the required columns. */
  readonly places: readonly number[];
  readonly target: number;
}

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
  const places = [...ids];
  const nullable = new Set<number>();
  const wholes = await mapAtOnce(located, options.signal, (files) =>
    planPart(files, { schema, places, target }, nullable, options),
  );
  const kept = schema
    .map((column, place) => ({ ...column, nullable: column.nullable || nullable.has(place) }))
    .filter((_, place) => places.includes(place));
  const common = { kind: "cfiles", schema: kept, columns, where } as const;
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
  for (const [place, name] of names.entries()) {
    let failure: unknown;
    for (const files of parts) {
      try {
        const { type, nullable, array } = await readerOf(files[place] ?? "", options);
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

/** The reader of a file that is closed again, for its footer. */
async function readerOf(path: string, { open, signal }: FilePlanOptions): Promise<CFileReader> {
  const source = await open(path);
  try {
    return await openCFile(source, { signal });
  } finally {
    await source.close?.();
  }
}

/** @param nullable takes the indexes of nullable columns */
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
  try {
    for (const place of places) {
      const column = schema[place] as RowSetColumn;
      const path = paths[place] ?? "";
      const source = await options.open(path);
      sources.push(source);
      files.push({ column: column.name, ...(await identityOf(path, source, { signal })) });
      const reader = await unlessDamaged(() => openCFile(source, { signal }));
      if (reader !== undefined) {
        checkColumn(reader, column, readers[0]);
        readers.push(reader);
      }
      if (reader?.nullable) {
        nullable.add(place);
      }
    }
    const isDamaged = readers.length < places.length;
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const rows = readers[0]?.rowCount ?? 0;
    if (rows === 0 && !isDamaged) {
      return [];
    }
    const isLarge = bytes > target && !isDamaged;
    // A damaged index cannot divide the part.
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
