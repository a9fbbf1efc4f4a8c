/** A tablet's replica as it lies on the disks: what it is, and its rows at any time that is still known. */

import { CFileError, isCFileError } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkConditions } from "@cfile/encodings/conditions";
import type {
  DiffBatch,
  DiffOptions,
  HistoryOptions,
  LookUpOptions,
  RowCells,
  RowKey,
  RowScanOptions,
  RowSetOptions,
  RowVersion,
} from "@cfile/rowset";
import { openRowSet, type RowSetReader, scanInTurn, TabletReader } from "@cfile/rowset";
import type { BlockStores } from "../blocks/block-stores.js";
import { historyGone, historyStart } from "../catalog/history-start.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock, TabletState } from "../catalog/superblock.js";
import { type TabletSize, tabletSize } from "../catalog/tablet-size.js";
import type { ReplayedLog } from "../log/log-replay.js";
import type { LogSegment } from "../log/log-segment.js";
import type { TabletLog } from "../log/tablet-log.js";
import type { RowSetAccount } from "../recover/recover-row-set.js";
import { answerAgain, batchesAgain, type Renewal } from "./read-again.js";
import { Remembered } from "./remembered.js";
import { TabletRowSet } from "./tablet-row-set.js";

/** How much must be there. */
export interface Tolerance {
  /**
   * Called for each row set that cannot be read because blocks are missing or it cannot be opened; it is then left out. Without it,
   * that is thrown.
   */
  readonly onUnreadable?: ((problem: UnreadablePart) => void) | undefined;
  /** Whether times are read whose history may be gone, for what is left of it. Default `false`: that is an error. */
  readonly partialHistory?: boolean | undefined;
  /**
   * Whether what the server had only in memory is read from its write-ahead log. Default `false`. A log that is damaged before its
   * last entry is an error.
   */
  readonly withLog?: boolean | undefined;
  /** Whether tablets are read that are not in the state `ready`. Default `false`. */
  readonly anyState?: boolean | undefined;
}

/** A part of a table that could not be read, and why. */
export interface UnreadablePart {
  readonly tablet: string;
  /** `undefined` when it is the whole tablet. */
  readonly rowSet: bigint | undefined;
  readonly error: CFileError;
}

/** Options of a scan. */
export type TabletScanOptions = RowScanOptions & Tolerance;
/** Options of a diff. */
export type TabletChangeOptions = DiffOptions & Tolerance;
/** Options of a look-up. */
export type TabletLookUpOptions = LookUpOptions & Tolerance;
/** Options of reading a row's versions. */
export type TabletHistoryOptions = HistoryOptions & Tolerance;

/** What is known of the server around a tablet. */
export interface TabletSurroundings {
  readonly blocks: BlockStores;
  readonly rowSetOptions: RowSetOptions;
  /** For how long history was kept for certain, in seconds. */
  readonly ageSeconds: number | undefined;
  /** When the server last changed a file, in microseconds since 1970. */
  readonly lastChange: () => Promise<bigint | undefined>;
  readonly log: TabletLog;
  /** The tablet as it is now, when that is another than it was. */
  readonly renewal: Renewal<KuduTablet>;
}

/** A tablet: the same reads as a table, and what its row sets are. */
export class KuduTablet {
  readonly superblock: Superblock;
  readonly rowSets: readonly TabletRowSet[];
  private readonly surroundings: TabletSurroundings;
  private readonly start = new Remembered<bigint>();

  constructor(superblock: Superblock, surroundings: TabletSurroundings) {
    this.superblock = superblock;
    this.surroundings = surroundings;
    const { blocks, rowSetOptions } = surroundings;
    this.rowSets = superblock.rowSets.map(
      (rowSet) => new TabletRowSet(rowSet, superblock.schema, blocks, rowSetOptions),
    );
  }

  /** @internal */
  get renewal(): Renewal<KuduTablet> {
    return this.surroundings.renewal;
  }

  get id(): string {
    return this.superblock.tabletId;
  }

  get tableName(): string {
    return this.superblock.tableName;
  }

  get tableId(): string {
    return this.superblock.tableId;
  }

  get state(): TabletState {
    return this.superblock.state;
  }

  get schema(): KuduSchema {
    return this.superblock.schema;
  }

  /** Rows alive in files, as the server counted them; `undefined` when it did not. */
  get liveRowCount(): number | undefined {
    const { rowSets, supportsLiveRowCount } = this.superblock;
    return supportsLiveRowCount
      ? rowSets.reduce((sum, { liveRowCount = 0 }) => sum + liveRowCount, 0)
      : undefined;
  }

  /** The first timestamp at which the state is known for certain; 0 when all are. */
  historyStart(): Promise<bigint> {
    return this.start.get(() => this.findHistoryStart());
  }

  /**
   * The rows, in key order unless `order` says that any will do.
   *
   * @throws CFileError as `RowSetReader.scan`; `E_HISTORY_GONE` with field `asOf` or `from` when the state at that time is gone, with path and role
   *   when a block is missing; `E_UNSUPPORTED` when the tablet is not in the state `ready`
   */
  scan(options: TabletScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    return batchesAgain<KuduTablet, TableBatch>(this, (tablet) => tablet.scanOnce(options));
  }

  /**
   * The rows that can be trusted of a tablet of which something is damaged or missing: those of sound row sets in key order, then of
   * each damaged row set those of which nothing wanted is lost. All is read twice.
   *
   * @param onAccount called for each damaged row set after its last row, with the exact account of it
   * @throws CFileError as {@link scan}, but for damage
   */
  async *recover(
    options: TabletScanOptions,
    onAccount: (account: RowSetAccount) => void,
  ): AsyncGenerator<TableBatch, void, void> {
    this.checkState(options);
    await this.requireHistory("asOf", options.asOf, options);
    const { schema, rowSets } = this;
    const { log, rowSetOptions } = this.surroundings;
    const overlay = options.withLog ? await log.overlay(rowSets, true) : undefined;
    const latest = isLatest(options.asOf);
    const { recoverRows } = await import("../recover/recover-tablet.js");
    yield* recoverRows({ schema, rowSets, rowSetOptions, overlay, latest }, options, onAccount);
  }

  /**
   * The rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), in key order, as they are at `to`.
   *
   * @throws CFileError as {@link scan}
   */
  diff(from: bigint, to: bigint, options: TabletChangeOptions = {}): AsyncGenerator<DiffBatch, void, void> {
    const read = (tablet: KuduTablet) => tablet.diffOnce(from, to, options);
    return batchesAgain<KuduTablet, DiffBatch>(this, read);
  }

  /**
   * One row by its key; `undefined` when there is none.
   *
   * @throws CFileError as {@link scan}
   */
  get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    const read = async (tablet: KuduTablet): Promise<RowCells | undefined> => {
      await tablet.requireHistory("asOf", options.asOf, options);
      return (await tablet.reader(options.columns, options, isLatest(options.asOf))).get(key, options);
    };
    return answerAgain<KuduTablet, RowCells | undefined>(this, read);
  }

  /**
   * All versions of a row that are left, oldest first.
   *
   * @throws CFileError as {@link scan}
   */
  history(key: RowKey, options: TabletHistoryOptions = {}): Promise<readonly RowVersion[]> {
    const read = async (tablet: KuduTablet): Promise<readonly RowVersion[]> =>
      (await tablet.reader(options.columns, options)).history(key, options);
    return answerAgain<KuduTablet, readonly RowVersion[]>(this, read);
  }

  /**
   * Whether the state at a time is still known, as {@link scan} and {@link diff} ask before they read.
   *
   * @param field names the time in the error
   * @throws CFileError `E_HISTORY_GONE` when it is not
   */
  async requireHistory(
    field: "asOf" | "from",
    asOf: bigint = LATEST_TIMESTAMP,
    { partialHistory = false }: Tolerance = {},
  ): Promise<void> {
    const neverFlushed = this.rowSets.length === 0 && this.superblock.lastDurableMrsId < 0n;
    if (isLatest(asOf) || partialHistory || neverFlushed) {
      return;
    }
    const start = await this.historyStart();
    if (asOf < start && !(await this.isUnchangedSince(asOf))) {
      throw historyGone(field, asOf, start, this.id);
    }
  }

  /** What is only in the write-ahead log; `undefined` when the log is not here. */
  unflushed(): Promise<ReplayedLog | undefined> {
    return this.surroundings.log.replayed();
  }

  /** What is wrong with the write-ahead log; a last entry that a crash left torn is not. */
  logProblems(): Promise<readonly CFileError[]> {
    return this.surroundings.log.problems();
  }

  /** The segments of the write-ahead log, in order; of one that cannot be read, what is wrong with it. */
  logSegments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    return this.surroundings.log.segments();
  }

  /** Bytes by role. Log containers' journals are read; blocks are not, but for the sizes of files. */
  size(): Promise<TabletSize> {
    return tabletSize(this.rowSets, this.surroundings.blocks);
  }

  private async *scanOnce(options: TabletScanOptions): AsyncGenerator<TableBatch, void, void> {
    await this.requireHistory("asOf", options.asOf, options);
    const tested = checkConditions(options.where, this.schema.columns);
    const names = [...(options.columns ?? []), ...tested.map(({ column }) => column.name)];
    const columns = options.columns === undefined ? undefined : names;
    const latest = isLatest(options.asOf);
    yield* options.order === "any"
      ? scanInTurn(this.readersInTurn(columns, options, latest), options)
      : (await this.reader(columns, options, latest)).scan(options);
  }

  private async *diffOnce(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions,
  ): AsyncGenerator<DiffBatch, void, void> {
    await this.requireHistory("from", from, options);
    yield* (await this.reader(options.columns, options)).diff(from, to, options);
  }

  /** @param latest whether only the latest state is wanted, for which no UNDO file is needed */
  private async reader(
    columns: readonly string[] | undefined,
    tolerance: Tolerance,
    latest = false,
  ): Promise<TabletReader> {
    this.checkState(tolerance);
    const ids = this.columnIds(columns);
    const readers = await Promise.all(
      this.rowSets.map((rowSet) => this.openTableStore(rowSet, ids, latest, tolerance)),
    );
    const opened = readers.filter((reader) => reader !== undefined);
    const fromLog = tolerance.withLog ? await this.logRowSets() : [];
    return new TabletReader(this.schema, [...opened, ...fromLog]);
  }

  /** The row sets, each opened when it is asked for. */
  private async *readersInTurn(
    columns: readonly string[] | undefined,
    tolerance: Tolerance,
    latest: boolean,
  ): AsyncGenerator<RowSetReader, void, void> {
    this.checkState(tolerance);
    const ids = this.columnIds(columns);
    for (const rowSet of this.rowSets) {
      const reader = await this.openTableStore(rowSet, ids, latest, tolerance);
      if (reader !== undefined) {
        yield reader;
      }
    }
    if (tolerance.withLog) {
      yield* await this.logRowSets();
    }
  }

  private columnIds(names: readonly string[] | undefined): ReadonlySet<number> | undefined {
    return (
      names && new Set(this.schema.columns.filter(({ name }) => names.includes(name)).map(({ id }) => id))
    );
  }

  private async logRowSets(): Promise<readonly RowSetReader[]> {
    const { log, rowSetOptions } = this.surroundings;
    const overlay = await log.overlay(this.rowSets);
    return Promise.all(
      (overlay?.rowSets ?? []).map((files) => openRowSet(files, this.schema, rowSetOptions)),
    );
  }

  private async openTableStore(
    rowSet: TabletRowSet,
    columnIds: ReadonlySet<number> | undefined,
    latest: boolean,
    { onUnreadable, withLog = false }: Tolerance,
  ): Promise<RowSetReader | undefined> {
    const overlay = withLog ? await this.surroundings.log.overlay(this.rowSets) : undefined;
    try {
      const [missing] = await rowSet.missing(columnIds, !latest);
      if (missing !== undefined) {
        throw missing;
      }
      const redo = overlay?.redo.get(rowSet.id);
      const withoutUndo = latest && (await rowSet.lacksUndo());
      if (redo === undefined && !withoutUndo) {
        return await rowSet.open();
      }
      const files = await rowSet.files();
      return await rowSet.openWith({
        ...files,
        redo: redo === undefined ? files.redo : [...files.redo, redo],
        undo: withoutUndo ? [] : files.undo,
      });
    } catch (error) {
      if (onUnreadable === undefined || !isCFileError(error)) {
        throw error;
      }
      onUnreadable({ tablet: this.id, rowSet: rowSet.id, error });
      return undefined;
    }
  }

  private checkState({ anyState = false }: Tolerance): void {
    if (this.state !== "ready" && !anyState) {
      throw new CFileError(
        "E_UNSUPPORTED",
        `tablet ${this.id} of ${JSON.stringify(this.tableName)} is ${this.state}: its data are not all here`,
        { field: "tablet_data_state", actual: this.state },
      );
    }
  }

  /** Whether nothing was written at this time or later, which the log tells when it goes back so far. */
  private async isUnchangedSince(asOf: bigint): Promise<boolean> {
    const { completeFrom, lastWrite } = (await this.unflushed()) ?? {};
    return (
      completeFrom !== undefined && completeFrom <= asOf && (lastWrite === undefined || lastWrite < asOf)
    );
  }

  private async findHistoryStart(): Promise<bigint> {
    const { ageSeconds, lastChange } = this.surroundings;
    const states = await Promise.all(
      this.rowSets.map(async (rowSet) => {
        try {
          return await rowSet.history();
        } catch (error) {
          // What is missing is told by whoever reads it.
          if (isCFileError(error)) {
            return undefined;
          }
          throw error;
        }
      }),
    );
    const rowSets = states.filter((state) => state !== undefined);
    return historyStart({ ageSeconds, lastChange: await lastChange(), rowSets });
  }
}

function isLatest(asOf: bigint = LATEST_TIMESTAMP): boolean {
  return asOf === LATEST_TIMESTAMP;
}
