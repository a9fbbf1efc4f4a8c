/** A tablet's replica as it is on the disks: its row sets, and its rows at any time whose history is retained. */
import type { CFileError, OnDamage } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import { checkConditions } from "@cfile/encodings/conditions";
import type {
  DiffBatch,
  RowCells,
  RowKey,
  RowScanOptions,
  RowSetFiles,
  RowSetOptions,
  RowVersion,
} from "@cfile/rowset";
import { scanInTurn } from "@cfile/rowset";
import type { BlockStores } from "../blocks/block-stores.js";
import { historyStart } from "../catalog/history-start.js";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { Superblock, TabletState } from "../catalog/superblock.js";
import { blockSizes, type TabletSize } from "../catalog/tablet-size.js";
import type { LogFlush } from "../log/log-flush.js";
import type { ReplayedLog } from "../log/log-replay.js";
import type { LogSegment } from "../log/log-segment.js";
import type { LogOutline, ReadableLog } from "../log/readable-log.js";
import type { CheckedLog, LogEnd, RecoveredLog, TabletLog, VersionedSchema } from "../log/tablet-log.js";
import type { RowSetAccount } from "../recover/recover-row-set.js";
import type { RecoveredParts } from "../recover/recover-tablet.js";
import type { TabletLedger } from "../recover/tablet-ledger.js";
import { answerAgain, batchesAgain, type Renewal } from "./read-again.js";
import { TabletHistory } from "./tablet-history.js";
import type {
  TabletChangeOptions,
  TabletHistoryOptions,
  TabletLookUpOptions,
  TabletScanOptions,
  Tolerance,
} from "./tablet-options.js";
import { readersInTurn, requireState, tabletReader } from "./tablet-readers.js";
import { TabletRowSet } from "./tablet-row-set.js";

/** The parts of the server that a tablet uses. */
export interface TabletSurroundings {
  readonly blocks: BlockStores;
  readonly rowSetOptions: RowSetOptions;
  /** Seconds of history that the server certainly kept. */
  readonly ageSeconds: number | undefined;
  /** When the server last changed a file, in microseconds since 1970. */
  readonly lastChange: () => Promise<bigint | undefined>;
  readonly log: TabletLog;
  /** The tablet as it is now, if it has changed. */
  readonly renewal: Renewal<KuduTablet>;
}

/** A tablet: the same reads as a table, and its row sets. */
export class KuduTablet {
  readonly superblock: Superblock;
  readonly id: string;
  readonly tableName: string;
  readonly tableId: string;
  readonly state: TabletState;
  readonly schema: KuduSchema;
  readonly rowSets: readonly TabletRowSet[];
  /** @internal */
  readonly renewal: Renewal<KuduTablet>;
  /** @internal */
  readonly surroundings: TabletSurroundings;
  private readonly retained: TabletHistory;

  constructor(superblock: Superblock, surroundings: TabletSurroundings) {
    this.superblock = superblock;
    this.id = superblock.tabletId;
    this.tableName = superblock.tableName;
    this.tableId = superblock.tableId;
    this.state = superblock.state;
    this.schema = superblock.schema;
    this.surroundings = surroundings;
    this.renewal = surroundings.renewal;
    const { blocks, rowSetOptions } = surroundings;
    this.rowSets = superblock.rowSets.map(
      (rowSet) => new TabletRowSet(rowSet, superblock.schema, blocks, rowSetOptions),
    );
    this.retained = new TabletHistory(this);
  }

  /** Live rows in files, as counted by the server; `undefined` if it did not count them. */
  get liveRowCount(): number | undefined {
    const { rowSets, supportsLiveRowCount } = this.superblock;
    return supportsLiveRowCount
      ? rowSets.reduce((sum, { liveRowCount = 0 }) => sum + liveRowCount, 0)
      : undefined;
  }

  /** The first timestamp whose snapshot is certainly complete; 0 if all are. */
  historyStart(): Promise<bigint> {
    return this.retained.start();
  }

  /**
   * The rows, in key order unless `order` is `any`.
   *
   * @throws {CFileError} as `RowSetReader.scan`; `E_HISTORY_GONE` with field `asOf` or `from` if the snapshot is no longer
   *   retained; `E_BLOCK_MISSING` with path and role; `E_UNSUPPORTED` if the tablet is not in the state `ready`
   */
  scan(options: TabletScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    return batchesAgain<KuduTablet, TableBatch>(this, (tablet) => tablet.scanOnce(options));
  }

  /**
   * The rows of a damaged or incomplete tablet that can be trusted, in key order: those that lost no requested cell. Reads everything
   * twice.
   *
   * @param onAccount called for each damaged row set after its last row; for several replicas, the ledger has these accounts instead
   * @param onLedger called after the last row
   * @throws {CFileError} as {@link scan}, except for damage
   */
  async *recover(
    options: TabletScanOptions,
    onAccount: (account: RowSetAccount) => void,
    onLedger: (ledger: TabletLedger) => void = () => undefined,
  ): AsyncGenerator<TableBatch, void, void> {
    const { recoverTablet } = await import("../recover/recover-tablet.js");
    yield* recoverTablet(this.id, await this.recoverable(options), options, { onAccount, onLedger });
  }

  /**
   * The parts of the tablet to recover.
   *
   * @internal
   * @param log operations of several logs; default: those of its own log up to the first problem
   * @throws {CFileError} as {@link recover}
   */
  async recoverable(
    options: Tolerance & Pick<RowScanOptions, "asOf">,
    log?: RecoveredLog,
  ): Promise<RecoveredParts> {
    requireState(this, options);
    await this.requireHistory("asOf", options.asOf, options);
    const { schema, rowSets } = this;
    const { log: own, rowSetOptions, ageSeconds, lastChange } = this.surroundings;
    const overlay = options.withLog ? await own.tolerantOverlay(rowSets, log) : undefined;
    const replayed = options.withLog === true && log === undefined ? await own.replayed() : undefined;
    const logProblems = replayed?.problems ?? [];
    const lacksHistory: RecoveredParts["lacksHistory"] = async (rowSet, rows, asOf) => {
      const state = await rowSet.historyOf(rows, []);
      const start = historyStart({ ageSeconds, lastChange: await lastChange(), rowSets: [state] });
      return options.partialHistory !== true && asOf < start;
    };
    return { schema, rowSets, rowSetOptions, overlay, logProblems, lacksHistory };
  }

  /**
   * The same replica with the columns of another schema of the table.
   *
   * @internal
   */
  withSchema({ schema, schemaVersion }: VersionedSchema): KuduTablet {
    const { log, renewal } = this.surroundings;
    const version = { schema, schemaVersion };
    return new KuduTablet(
      { ...this.superblock, ...version },
      {
        ...this.surroundings,
        log: log.withSchema(version),
        renewal: async (error) => (await renewal(error))?.withSchema(version),
      },
    );
  }

  /**
   * The rows that changed at timestamps `from` (inclusive) to `to` (exclusive), in key order, as of `to`.
   *
   * @throws {CFileError} as {@link scan}
   */
  diff(from: bigint, to: bigint, options: TabletChangeOptions = {}): AsyncGenerator<DiffBatch, void, void> {
    return batchesAgain<KuduTablet, DiffBatch>(this, (tablet) => tablet.diffOnce(from, to, options));
  }

  /**
   * One row by its key; `undefined` if there is no such row.
   *
   * @throws {CFileError} as {@link scan}
   */
  get(key: RowKey, options: TabletLookUpOptions = {}): Promise<RowCells | undefined> {
    return answerAgain<KuduTablet, RowCells | undefined>(this, async (tablet) => {
      await tablet.requireHistory("asOf", options.asOf, options);
      const needed = { columns: options.columns, isLatest: isLatest(options.asOf) };
      return (await tabletReader(tablet, needed, options)).get(key, options);
    });
  }

  /**
   * All retained versions of a row, oldest first.
   *
   * @throws {CFileError} as {@link scan}
   */
  history(key: RowKey, options: TabletHistoryOptions = {}): Promise<readonly RowVersion[]> {
    return answerAgain<KuduTablet, readonly RowVersion[]>(this, async (tablet) =>
      (await tabletReader(tablet, { columns: options.columns }, options)).history(key, options),
    );
  }

  /**
   * Checks that the snapshot at a time is still retained, as {@link scan} and {@link diff} do before they read.
   *
   * @param field names the time in the error
   * @throws {CFileError} `E_HISTORY_GONE` if it is not
   */
  async requireHistory(
    field: "asOf" | "from",
    asOf: bigint = LATEST_TIMESTAMP,
    tolerance: Tolerance = {},
  ): Promise<void> {
    await this.retained.require(field, asOf, tolerance);
  }

  /** Unflushed writes of the write-ahead log; `undefined` if there is no log. */
  unflushed(): Promise<ReplayedLog | undefined> {
    return this.surroundings.log.replayed();
  }

  /**
   * Where the log ended when {@link unflushed} read it. If it is passed in `KuduDirOptions.logEnds`, other readers see the same
   * writes while the server writes more.
   */
  logEnd(): Promise<LogEnd | undefined> {
    return this.surroundings.log.replayedEnd();
  }

  /** Damage of the write-ahead log. A last entry torn by a crash is not damage; see `ReplayedLog.torn`. */
  async logProblems(): Promise<readonly CFileError[]> {
    return (await this.checkLog()).problems;
  }

  /**
   * Damage of the write-ahead log, and where it ends within an entry. Unlike {@link unflushed}, keeps nothing in memory.
   *
   * @internal
   */
  checkLog(): Promise<CheckedLog> {
    return this.surroundings.log.check(this.rowSets);
  }

  /**
   * The rows of the whole log that it never deletes, applied to an empty table; `undefined` unless the log goes back to the first
   * operation, is undamaged, and has the result of each write.
   *
   * @internal
   * @param maxBytes maximum bytes of entries; for longer logs, the result is `undefined`
   */
  wholeLog(maxBytes: number): Promise<readonly RowSetFiles[] | undefined> {
    return this.surroundings.log.replayedWhole(maxBytes);
  }

  /** The operations of the write-ahead log that can be read, including those after damage. */
  logOperations(): Promise<ReadableLog> {
    return this.surroundings.log.operations();
  }

  /**
   * Like {@link logOperations}, without the contents of operations.
   *
   * @internal
   */
  logOutline(): Promise<LogOutline> {
    return this.surroundings.log.outline();
  }

  /**
   * The unflushed writes of the write-ahead log, for writing row sets.
   *
   * @internal
   * @param maxBytes as `LogFlush.of`
   */
  flushLog(maxBytes?: number): Promise<LogFlush | undefined> {
    return this.surroundings.log.flush(maxBytes);
  }

  /** The segments of the write-ahead log, in order; an error for each that cannot be read. */
  logSegments(): AsyncGenerator<LogSegment | CFileError, void, void> {
    return this.surroundings.log.segments();
  }

  /**
   * Bytes by role. Reads the journals of log containers and the sizes of files, but no blocks.
   *
   * @param onDamage called for each ID that two blocks share; these blocks are not counted. Default: the error is thrown, as by
   *   {@link scan}
   * @throws {CFileError} `E_CORRUPT` for such a block; `E_IO` if a file cannot be read
   */
  size(onDamage?: OnDamage): Promise<TabletSize> {
    return blockSizes(this.rowSets, onDamage);
  }

  private async scanOnce(options: TabletScanOptions): Promise<AsyncGenerator<TableBatch, void, void>> {
    await this.requireHistory("asOf", options.asOf, options);
    const tested = checkConditions(options.where, this.schema.columns).map(({ column }) => column.name);
    const columns = options.columns && [...options.columns, ...tested];
    const needed = { columns, isLatest: isLatest(options.asOf) };
    return options.order === "any"
      ? scanInTurn(readersInTurn(this, needed, options), options)
      : (await tabletReader(this, needed, options)).scan(options);
  }

  private async diffOnce(
    from: bigint,
    to: bigint,
    options: TabletChangeOptions,
  ): Promise<AsyncGenerator<DiffBatch, void, void>> {
    await this.requireHistory("from", from, options);
    return (await tabletReader(this, { columns: options.columns }, options)).diff(from, to, options);
  }
}

function isLatest(asOf: bigint = LATEST_TIMESTAMP): boolean {
  return asOf === LATEST_TIMESTAMP;
}
