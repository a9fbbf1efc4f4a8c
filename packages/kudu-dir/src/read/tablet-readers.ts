/** Opens the row sets of a tablet for one read: those on disk, and those of the unflushed writes in its log. */
import { CFileError, isCFileError } from "@cfile/bytes";
import { openRowSet, type RowSetOptions, type RowSetReader, TabletReader } from "@cfile/rowset";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { TabletState } from "../catalog/superblock.js";
import type { LogOverlay } from "../log/log-overlay.js";
import type { TabletLog } from "../log/tablet-log.js";
import type { Tolerance } from "./tablet-options.js";
import type { TabletRowSet } from "./tablet-row-set.js";

/** The parts of a tablet that are opened. */
interface ReadableParts {
  readonly id: string;
  readonly tableName: string;
  readonly state: TabletState;
  readonly schema: KuduSchema;
  readonly rowSets: readonly TabletRowSet[];
  readonly surroundings: { readonly log: TabletLog; readonly rowSetOptions: RowSetOptions };
}

/** Which columns and files are read. */
export interface NeededFiles {
  /** Default: all. */
  readonly columns: readonly string[] | undefined;
  /** Whether only the latest snapshot is read, which needs no UNDO file. Default `false`. */
  readonly isLatest?: boolean;
}

/** @throws {CFileError} `E_UNSUPPORTED` if the tablet is not in the state `ready` */
export function requireState({ id, tableName, state }: ReadableParts, { anyState = false }: Tolerance): void {
  if (state !== "ready" && !anyState) {
    throw new CFileError(
      "E_UNSUPPORTED",
      `tablet ${id} of table ${JSON.stringify(tableName)} is ${state}: its data is incomplete`,
      { field: "tablet_data_state", actual: state },
    );
  }
}

/** A reader of all row sets, which are opened at the same time. */
export async function tabletReader(
  tablet: ReadableParts,
  needed: NeededFiles,
  tolerance: Tolerance,
): Promise<TabletReader> {
  const readers = await Promise.all(readersOf(tablet, needed, tolerance));
  const opened = readers.filter((reader) => reader !== undefined);
  const fromLog = tolerance.withLog ? await logRowSets(tablet) : [];
  return new TabletReader(tablet.schema, [...opened, ...fromLog]);
}

/** Opens the row sets one after the other, each on request. */
export async function* readersInTurn(
  tablet: ReadableParts,
  needed: NeededFiles,
  tolerance: Tolerance,
): AsyncGenerator<RowSetReader, void, void> {
  for (const opening of readersOf(tablet, needed, tolerance)) {
    const reader = await opening;
    if (reader !== undefined) {
      yield reader;
    }
  }
  if (tolerance.withLog) {
    yield* await logRowSets(tablet);
  }
}

/** Starts to open a row set whenever the next one is requested. */
function* readersOf(
  tablet: ReadableParts,
  { columns, isLatest = false }: NeededFiles,
  tolerance: Tolerance,
): Generator<Promise<RowSetReader | undefined>, void, void> {
  requireState(tablet, tolerance);
  const { id, schema, rowSets, surroundings } = tablet;
  const named = schema.columns.filter(({ name }) => columns?.includes(name));
  const columnIds = columns && new Set(named.map((column) => column.id));
  for (const rowSet of rowSets) {
    const open = async (): Promise<RowSetReader | undefined> => {
      const overlay = tolerance.withLog ? await surroundings.log.overlay(rowSets) : undefined;
      try {
        return await openedRowSet(rowSet, columnIds, isLatest, overlay);
      } catch (error) {
        if (tolerance.onUnreadable === undefined || !isCFileError(error)) {
          throw error;
        }
        tolerance.onUnreadable({ tablet: id, rowSet: rowSet.id, error });
        return undefined;
      }
    };
    yield open();
  }
}

async function openedRowSet(
  rowSet: TabletRowSet,
  columnIds: ReadonlySet<number> | undefined,
  isLatest: boolean,
  overlay: LogOverlay | undefined,
): Promise<RowSetReader> {
  const [missing] = await rowSet.missing(columnIds, !isLatest);
  if (missing !== undefined) {
    throw missing;
  }
  const redo = overlay?.redo.get(rowSet.id);
  // Earlier snapshots need these files, so the error of a missing one was thrown above.
  const withoutUndo = await rowSet.lacksUndo();
  if (redo === undefined && !withoutUndo) {
    return rowSet.open();
  }
  const files = await rowSet.files();
  return rowSet.openWith({
    ...files,
    redo: redo === undefined ? files.redo : [...files.redo, redo],
    undo: withoutUndo ? [] : files.undo,
  });
}

async function logRowSets({
  schema,
  rowSets,
  surroundings,
}: ReadableParts): Promise<readonly RowSetReader[]> {
  const { log, rowSetOptions } = surroundings;
  const files = (await log.overlay(rowSets))?.rowSets ?? [];
  return Promise.all(files.map((one) => openRowSet(one, schema, rowSetOptions)));
}
