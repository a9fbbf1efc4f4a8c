/**
 * Splits of a table store. A key may be in several row sets, but is live in at most one (docs/spec/diskrowset.md#7-scan): each row
 * set, and each range of its rows, can be read by itself.
 */
import { CFileError } from "@cfile/bytes";
import { type CFileReader, openCFile } from "@cfile/format";
import type { ByteSource } from "@cfile/io";
import type { RowSetFiles, RowSetSchema } from "@cfile/rowset";
import { openRowSet } from "@cfile/rowset";
import type { Manifest, ManifestFile } from "@cfile/rowset/store";
import type { RowSetParts, RowSetPiece, Split } from "../lines/split.js";
import { identifiedSplit } from "../lines/split-line.js";
import { type Stretches, stretchesOf } from "./column-blocks.js";
import { type NeededColumns, neededColumns, type PlanOptions } from "./plan-options.js";
import { closeFiles, mapParts, openParts, requiredParts } from "./row-set-parts.js";
import { identityOf, type OpenLocation } from "./source-identity.js";
import { type Divisible, groupsOf, targetBytes } from "./split-groups.js";
import { unlessDamaged } from "./undamaged.js";

/** Options of {@link planRowSets}. */
export interface RowSetPlanOptions extends PlanOptions {
  readonly open: OpenLocation;
  /** The snapshot to read. Default: the latest. */
  readonly asOf?: bigint | undefined;
}

/** Paths or URLs of a row set's files, by role. */
export type RowSetPlaces = RowSetParts<string>;

/** A table of row sets. */
export interface RowSetTable {
  readonly schema: RowSetSchema;
  readonly rowSets: readonly RowSetPlaces[];
  /** Snapshots before this timestamp are gone. Default: none. */
  readonly historyStart?: bigint | undefined;
}

/** A row set to plan: its piece and its open files. */
export interface PlannedRowSet {
  readonly piece: RowSetPiece;
  readonly files: RowSetFiles;
}

/** The table of a table store's manifest. */
export function tableOfManifest({ schema, rowSets, historyStart }: Manifest, folder: string): RowSetTable {
  const pathOf = ({ file }: ManifestFile): string => `${folder}/${file}`;
  return {
    schema,
    historyStart,
    rowSets: rowSets.map(({ columns, adhocIndex, redo, undo }) => ({
      columns: new Map([...columns].map(([id, file]) => [id, pathOf(file)])),
      adhocIndex: adhocIndex && pathOf(adhocIndex),
      redo: redo.map(pathOf),
      undo: undo.map(pathOf),
    })),
  };
}

/**
 * Plans splits of a table store. Reads the footer of each key file, and the positional indexes of row sets that are divided. A row
 * set with damage there is not divided: reading it reports the damage.
 *
 * @throws {CFileError} `E_INVALID_ARGUMENT` for unknown columns; `E_HISTORY_GONE` for a snapshot before the history; as `open`
 */
export async function planRowSets(
  { schema, rowSets, historyStart = 0n }: RowSetTable,
  options: RowSetPlanOptions,
): Promise<Split[]> {
  const { asOf, signal } = options;
  if (asOf !== undefined && asOf < historyStart) {
    const reason = `the snapshot at ${asOf} is gone: history starts at ${historyStart}`;
    const details = { field: "asOf", expected: `at least ${historyStart}`, actual: String(asOf) };
    throw new CFileError("E_HISTORY_GONE", reason, details);
  }
  const target = targetBytes(options.targetBytes);
  const needed = neededColumns(schema, options);
  const wholes: Divisible<RowSetPiece>[] = [];
  for (const [number, places] of rowSets.entries()) {
    signal?.throwIfAborted();
    const planned = await openPlaces(BigInt(number), requiredParts(places, needed, asOf), options);
    try {
      const whole = await divisibleRowSet(planned, needed, target, undefined, signal);
      wholes.push(...(whole === undefined ? [] : [whole]));
    } finally {
      await closeFiles(planned.files);
    }
  }
  const { columns, where } = needed;
  const common = { kind: "rowset", schema: needed.schema, columns, where, asOf } as const;
  const groups = groupsOf(wholes, target);
  return Promise.all(groups.map((group, number) => identifiedSplit({ number, ...common, ...group })));
}

/**
 * A row set, and where its rows can be divided.
 *
 * @param estimate the number of rows, if the key file is damaged
 * @returns `undefined` for a row set without rows
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
  let isEmpty = false;
  const stretches = await unlessDamaged(async () => {
    rows = (await openRowSet(files, { columns: schema }, { signal })).rowCount;
    isEmpty = rows === 0;
    return bytes > target && !isEmpty ? stretchesOfColumns(files, ids, rows, bytes, signal) : undefined;
  });
  return isEmpty ? undefined : { piece, rows, bytes, stretches };
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
  places: RowSetPlaces,
  { open, signal }: RowSetPlanOptions,
): Promise<PlannedRowSet> {
  const paths = new Map<ByteSource, string>();
  const files = await openParts(places, async (path) => {
    const source = await open(path);
    paths.set(source, path);
    return source;
  });
  try {
    const identified = await mapParts(files, (source) =>
      identityOf(paths.get(source) ?? "", source, { signal }),
    );
    return { piece: { rowSet, ...identified }, files };
  } catch (error) {
    await closeFiles(files);
    throw error;
  }
}
