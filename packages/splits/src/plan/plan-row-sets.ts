/**
 * Splits of a table of row sets. A key may be in several row sets, but is alive in one of them at most at any time
 * (docs/spec/diskrowset.md#7-scan): each row set is read by itself, and each range of its rows.
 */
import { CFileError, isDamage } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import type { RowSetColumn, RowSetFiles, RowSetSchema } from "@cfile/rowset";
import { openRowSet } from "@cfile/rowset";
import type { Manifest, ManifestFile } from "@cfile/rowset/store";
import type { RowSetPiece, Split, SplitFile } from "../lines/split.js";
import { identifiedSplit } from "../lines/split-line.js";
import { type Stretches, stretchesOf } from "./column-blocks.js";
import { type NeededColumns, neededColumns, type PlanOptions } from "./plan-options.js";
import { identityOf, type OpenLocation } from "./source-identity.js";
import { type Divisible, groupsOf, targetBytes } from "./split-groups.js";

/** How a table of row sets is split. */
export interface RowSetPlanOptions extends PlanOptions {
  readonly open: OpenLocation;
  /** The state at this timestamp. Default: the latest. */
  readonly asOf?: bigint | undefined;
}

/** Paths or URLs of a row set's files, by role. */
export interface RowSetPlaces {
  readonly columns: ReadonlyMap<number, string>;
  readonly adhocIndex?: string | undefined;
  /** Oldest first. */
  readonly redo: readonly string[];
  /** Newest first. */
  readonly undo: readonly string[];
}

/** A table of row sets as its manifest tells it. */
export interface RowSetTable {
  readonly schema: RowSetSchema;
  readonly rowSets: readonly RowSetPlaces[];
  /** States before this timestamp are gone. Default: none is. */
  readonly historyStart?: bigint | undefined;
}

/** A row set about to be planned: its piece, and its files. */
export interface PlannedRowSet {
  readonly piece: RowSetPiece;
  readonly files: RowSetFiles;
}

/** The table of a folder's manifest. */
export function tableOfManifest({ schema, rowSets, historyStart }: Manifest, folder: string): RowSetTable {
  const place = ({ file }: ManifestFile): string => `${folder}/${file}`;
  return {
    schema,
    historyStart,
    rowSets: rowSets.map(({ columns, adhocIndex, redo, undo }) => ({
      columns: new Map([...columns].map(([id, file]) => [id, place(file)])),
      adhocIndex: adhocIndex && place(adhocIndex),
      redo: redo.map(place),
      undo: undo.map(place),
    })),
  };
}

/**
 * The row sets of a table in independent pieces. Of each row set the key's footer is read, and where it is divided the columns'
 * positional indexes. One that is damaged there is not divided: reading it will tell.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` for columns that are not there; `E_HISTORY_GONE` for a state that is gone; what opening files
 *   throws, but for damage
 */
export async function planRowSets(
  { schema, rowSets, historyStart = 0n }: RowSetTable,
  options: RowSetPlanOptions,
): Promise<Split[]> {
  const { asOf, signal } = options;
  if (asOf !== undefined && asOf < historyStart) {
    throw new CFileError(
      "E_HISTORY_GONE",
      `the state at ${asOf} is gone: history begins at ${historyStart}`,
      {
        field: "asOf",
        expected: `at least ${historyStart}`,
        actual: String(asOf),
      },
    );
  }
  const target = targetBytes(options.targetBytes);
  const needed = neededColumns(schema, options);
  const wholes: Divisible<RowSetPiece>[] = [];
  for (const [number, places] of rowSets.entries()) {
    signal?.throwIfAborted();
    const opened = await openPlaces(BigInt(number), places, needed, options);
    try {
      const whole = await divisibleRowSet(opened, needed, target, undefined, signal);
      wholes.push(...(whole === undefined ? [] : [whole]));
    } finally {
      await closeFiles(opened.files);
    }
  }
  const { schema: kept, columns, where } = needed;
  return Promise.all(
    groupsOf(wholes, target).map((group, number) =>
      identifiedSplit({ number, kind: "rowset", schema: kept, columns, where, asOf, ...group }),
    ),
  );
}

/**
 * A row set, and where its rows can be divided.
 *
 * @param estimate of the rows, when the key's file cannot be read
 * @returns `undefined` without rows
 */
export async function divisibleRowSet(
  { piece, files }: PlannedRowSet,
  { schema, ids }: NeededColumns,
  target: number,
  estimate: number | undefined,
  signal: AbortSignal | undefined,
): Promise<Divisible<RowSetPiece> | undefined> {
  const read = [...piece.columns].filter(([id]) => ids.has(id)).map(([, file]) => file);
  const bytes = [...read, ...piece.redo, ...piece.undo].reduce((sum, { size }) => sum + size, 0);
  let rows = estimate ?? 0;
  try {
    const reader = await openRowSet(files, { columns: schema }, { signal });
    rows = reader.rowCount;
    if (rows === 0) {
      return undefined;
    }
    const stretches = bytes > target ? await stretchesOfColumns(files, ids, rows, bytes, signal) : undefined;
    return { piece, rows, bytes, stretches };
  } catch (error) {
    if (!isDamage(error)) {
      throw error;
    }
    return { piece, rows, bytes };
  }
}

async function stretchesOfColumns(
  files: RowSetFiles,
  ids: ReadonlySet<number>,
  rows: number,
  bytes: number,
  signal: AbortSignal | undefined,
): Promise<Stretches | undefined> {
  const readers: CFileReader[] = [];
  for (const [id, source] of files.columns) {
    if (ids.has(id)) {
      const reader = await openCFile(source, { signal });
      if (reader.rowCount !== rows) {
        return undefined;
      }
      readers.push(reader);
    }
  }
  return stretchesOf(readers, bytes, signal);
}

async function openPlaces(
  rowSet: bigint,
  { columns, adhocIndex, redo, undo }: RowSetPlaces,
  { schema, ids }: NeededColumns,
  { open, asOf, signal }: RowSetPlanOptions,
): Promise<PlannedRowSet> {
  const opened: ByteSource[] = [];
  const one = async (path: string): Promise<{ source: ByteSource; file: SplitFile }> => {
    const source = await open(path);
    opened.push(source);
    return { source, file: await identityOf(path, source, { signal }) };
  };
  const all = async (paths: readonly string[]) => {
    const files: Awaited<ReturnType<typeof one>>[] = [];
    for (const path of paths) {
      files.push(await one(path));
    }
    return files;
  };
  try {
    const wanted = [...columns].filter(([id]) => ids.has(id) || isOnlyKey(schema, id));
    const bases = await all(wanted.map(([, path]) => path));
    const index = adhocIndex === undefined ? undefined : await one(adhocIndex);
    const changes = await all(redo);
    const undone = await all(asOf === undefined ? [] : undo);
    const byId = <T>(pick: (base: (typeof bases)[number]) => T): Map<number, T> =>
      new Map(
        wanted.flatMap(([id], i) => bases.slice(i, i + 1).map((base): [number, T] => [id, pick(base)])),
      );
    return {
      piece: {
        rowSet,
        columns: byId(({ file }) => file),
        adhocIndex: index?.file,
        redo: changes.map(({ file }) => file),
        undo: undone.map(({ file }) => file),
      },
      files: {
        columns: byId(({ source }) => source),
        adhocIndex: index?.source,
        redo: changes.map(({ source }) => source),
        undo: undone.map(({ source }) => source),
      },
    };
  } catch (error) {
    await Promise.all(opened.map((source) => source.close?.()));
    throw error;
  }
}

/** Rows are found by the file of the key's only column, also where its cells are not wanted. */
export function isOnlyKey(schema: readonly RowSetColumn[], id: number): boolean {
  const [only, ...others] = schema.filter(({ isKey }) => isKey);
  return others.length === 0 && only?.id === id;
}

export async function closeFiles({ columns, adhocIndex, redo, undo }: RowSetFiles): Promise<void> {
  const sources = [...columns.values(), adhocIndex, ...redo, ...undo];
  await Promise.all(sources.map((source) => source?.close?.()));
}
