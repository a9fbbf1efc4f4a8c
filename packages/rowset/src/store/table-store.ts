/**
 * A table store that is read and changed. Base data never change: a write adds REDO files to the row sets that contain the rows;
 * new and reinserted rows go into a new row set; `compact` merges all row sets into one.
 */
import { CFileError, invalidArgument, mismatch } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteSource } from "@cfile/io";
import type { DiffBatch, DiffOptions } from "../delta/row-changes.js";
import { type HistoryOptions, type RowVersion, versionsSince } from "../delta/row-history.js";
import type { RowKey } from "../keys/row-key.js";
import { mergeRowSets } from "../merge/merge-row-sets.js";
import type { LookUpOptions, RowCells } from "../read/row-lookup.js";
import { cacheBudget, type RowSetFiles, type RowSetOptions } from "../read/row-set-parts.js";
import { openRowSet, type RowSetReader } from "../read/row-set-reader.js";
import { checkWriteTimestamp, type RowScanOptions } from "../read/scan-options.js";
import { TabletReader } from "../read/tablet-reader.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { RowSetVerifyOptions, RowSetVerifyReport } from "../verify/verify-row-set.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import type { RowInput } from "../write/rows-to-batches.js";
import { applyWrite, withoutEntriesBefore } from "./apply-writes.js";
import { filesOf, type ManifestFile, type ManifestRowSet } from "./manifest.js";
import { type PlannedWrite, planDeletes, planRows, type WriteMode } from "./plan-writes.js";
import type { TableStoreFiles } from "./table-store-files.js";

/** Options for reading and writing a table store. */
export interface OpenTableStoreOptions extends RowSetOptions {
  /** Options for writing new files. */
  readonly writer?: RowSetWriterOptions | undefined;
}

/** Number of rows that a write changed. */
export interface WriteResult {
  /** Updated or deleted rows. */
  readonly changed: number;
  readonly inserted: number;
}

/**
 * An open table store. It has one writer at a time: a write during or after a write by another writer fails with
 * `E_SOURCE_CHANGED` and changes nothing.
 */
export class TableStore {
  private readonly store: TableStoreFiles;
  private readonly options: OpenTableStoreOptions;
  /** By file; kept open until `close`, since a scan may still read files that a compaction has replaced. */
  private readonly sources = new Map<string, ByteSource>();
  private readonly readers = new Map<ManifestRowSet, RowSetReader>();
  private tablet: TabletReader;
  private isSwept = false;
  private isClosed = false;
  private tail: Promise<unknown> = Promise.resolve();

  /** @internal */
  constructor(store: TableStoreFiles, options: OpenTableStoreOptions) {
    this.store = store;
    this.options = { ...options, cacheBytes: cacheBudget(options) };
    this.tablet = new TabletReader(this.schema, []);
  }

  get schema(): RowSetSchema {
    return this.store.manifest.schema;
  }

  /** Timestamp of the last write; 0 before the first. */
  get lastTimestamp(): bigint {
    return this.store.manifest.lastTimestamp;
  }

  /** The earliest snapshot that can be read. */
  get historyStart(): bigint {
    return this.store.manifest.historyStart;
  }

  /** The row sets, oldest first. */
  get rowSets(): readonly RowSetReader[] {
    return this.tablet.rowSets;
  }

  /** The files of each row set, oldest first. */
  get files(): readonly (readonly ManifestFile[])[] {
    return this.store.manifest.rowSets.map(filesOf);
  }

  /**
   * Yields rows in key order.
   *
   * @throws {CFileError} as `TabletReader.scan`; `E_HISTORY_GONE` for a snapshot before {@link historyStart}
   */
  scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    this.checkReadable(options.asOf, "asOf");
    return this.tablet.scan(options);
  }

  /**
   * The snapshot at a timestamp, which contains writes before it.
   *
   * @throws {CFileError} `E_HISTORY_GONE`
   */
  asOf(timestamp: bigint): Pick<TableStore, "scan" | "get"> {
    this.checkReadable(timestamp, "asOf");
    return {
      scan: (options = {}) => this.scan({ ...options, asOf: timestamp }),
      get: (key, options = {}) => this.get(key, { ...options, asOf: timestamp }),
    };
  }

  /** One row by its key; `undefined` when it does not exist at that time. @throws {CFileError} as {@link scan} */
  async get(key: RowKey, options: LookUpOptions = {}): Promise<RowCells | undefined> {
    this.checkReadable(options.asOf, "asOf");
    return this.tablet.get(key, options);
  }

  /**
   * Yields rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), as of `to`.
   *
   * @throws {CFileError} as {@link scan}
   */
  diff(
    from: bigint,
    to: bigint = LATEST_TIMESTAMP,
    options: DiffOptions = {},
  ): AsyncGenerator<DiffBatch, void, void> {
    this.checkReadable(from, "from");
    return this.tablet.diff(from, to, options);
  }

  /**
   * The version of a row at {@link historyStart} and all later ones, oldest first.
   *
   * @throws {CFileError} as {@link scan}
   */
  async history(key: RowKey, options: HistoryOptions = {}): Promise<RowVersion[]> {
    this.requireOpen();
    return versionsSince(await this.tablet.history(key, options), this.historyStart);
  }

  /**
   * Changes cells of existing rows. A row has its key and the cells to change; in arrays, other cells are `undefined`.
   *
   * @param timestamp of the write, at least {@link lastTimestamp}
   * @throws {CFileError} `E_NOT_FOUND` naming a missing key; `E_INVALID_ARGUMENT` for rows that do not fit, a duplicate key and an
   *   earlier timestamp; `E_SOURCE_CHANGED` when another writer has written or is writing; `E_IO`. Nothing is then changed
   */
  update(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "update");
  }

  /** Adds new rows. @throws {CFileError} `E_INVALID_ARGUMENT` naming an existing key; as {@link update} */
  insert(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "insert");
  }

  /** Updates existing rows and adds others, whose missing cells are null. @throws {CFileError} as {@link update} */
  upsert(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "upsert");
  }

  /** Deletes rows by their keys. @throws {CFileError} as {@link update} */
  delete(keys: readonly RowKey[], timestamp: bigint): Promise<WriteResult> {
    return this.write(async () => {
      checkWriteTimestamp(timestamp, this.lastTimestamp);
      return this.apply(await planDeletes(this.schema, this.rowSets, keys), timestamp);
    });
  }

  /**
   * Merges all row sets into one, with all changes folded into its base data. UNDO entries keep every snapshot readable. Rows deleted
   * before {@link historyStart} are removed.
   *
   * @throws {CFileError} `E_IO` when the directory fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when a file is damaged;
   *   `E_SOURCE_CHANGED` as {@link update}. Nothing is then changed
   */
  compact(): Promise<void> {
    return this.write(async () => {
      const { rowSets, ...rest } = this.store.manifest;
      const isCompact = rowSets.length === 0 || (rowSets.length === 1 && rowSets[0]?.redo.length === 0);
      if (isCompact) {
        return;
      }
      const parts = this.rowSets.map((reader) => reader.parts);
      const merged = await mergeRowSets(this.store, parts, this.options.writer ?? {});
      await this.commit({ ...rest, rowSets: merged === undefined ? [] : [merged] });
    });
  }

  /**
   * Drops the snapshots before a timestamp: the entries that undo earlier changes. Rows deleted before it are removed by the next
   * {@link compact}.
   *
   * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid timestamp; `E_IO`; `E_SOURCE_CHANGED` as {@link update}
   */
  dropHistoryBefore(timestamp: bigint): Promise<void> {
    return this.write(async () => {
      checkWriteTimestamp(timestamp, 0n);
      const { rowSets, historyStart, ...rest } = this.store.manifest;
      if (timestamp <= historyStart) {
        return;
      }
      const kept: ManifestRowSet[] = [];
      for (const rowSet of rowSets) {
        const undo: ManifestFile[] = [];
        for (const file of rowSet.undo) {
          undo.push(...(await withoutEntriesBefore(this.store, file, this.source(file), timestamp)));
        }
        kept.push({ ...rowSet, undo });
      }
      await this.commit({ ...rest, historyStart: timestamp, rowSets: kept });
    });
  }

  /**
   * Verifies all row sets, oldest first.
   *
   * @throws {CFileError} `E_IO`, `E_SOURCE_CHANGED`; damage is reported, not thrown
   */
  async verify(options: RowSetVerifyOptions = {}): Promise<RowSetVerifyReport[]> {
    this.requireOpen();
    const reports: RowSetVerifyReport[] = [];
    for (const rowSet of this.rowSets) {
      reports.push(await rowSet.verify(options));
    }
    return reports;
  }

  /** Waits for pending writes, then closes all files. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.tail.catch(() => undefined);
    await Promise.all([...this.sources.values()].map((source) => source.close?.()));
    this.sources.clear();
    this.readers.clear();
  }

  /** Calls {@link close} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Opens the row sets of the manifest that are not open yet. */
  async load(): Promise<void> {
    const known = new Map(this.readers);
    this.readers.clear();
    for (const rowSet of this.store.manifest.rowSets) {
      const reader = known.get(rowSet) ?? (await openRowSet(this.filesOf(rowSet), this.schema, this.options));
      this.readers.set(rowSet, reader);
      if (reader.rowCount !== rowSet.rows) {
        const details = { path: this.store.directory.name, field: "rows" };
        const reason = "row count of a key file differs from the manifest";
        throw mismatch(reason, rowSet.rows, reader.rowCount, details);
      }
    }
    this.tablet = new TabletReader(this.schema, [...this.readers.values()]);
  }

  private filesOf({ columns, bloom, adhocIndex, redo, undo }: ManifestRowSet): RowSetFiles {
    return {
      columns: new Map([...columns].map(([id, file]) => [id, this.source(file)])),
      bloom: this.source(bloom),
      adhocIndex: adhocIndex && this.source(adhocIndex),
      redo: redo.map((file) => this.source(file)),
      undo: undo.map((file) => this.source(file)),
    };
  }

  private source({ file, bytes }: ManifestFile): ByteSource {
    const source = this.sources.get(file) ?? this.store.source(file, bytes);
    this.sources.set(file, source);
    return source;
  }

  private writeRows(rows: readonly RowInput[], timestamp: bigint, mode: WriteMode): Promise<WriteResult> {
    return this.write(async () => {
      checkWriteTimestamp(timestamp, this.lastTimestamp);
      return this.apply(await planRows(this.schema, this.rowSets, rows, mode), timestamp);
    });
  }

  private async apply(plan: PlannedWrite, timestamp: bigint): Promise<WriteResult> {
    const { store } = this;
    const rowSets = await applyWrite(store, plan, timestamp, this.options.writer ?? {});
    const changed = [...plan.changes.values()].reduce((sum, entries) => sum + entries.length, 0);
    const inserted = plan.inserts.length;
    if (changed + inserted > 0) {
      await this.commit({ ...store.manifest, lastTimestamp: timestamp, rowSets });
    }
    return { changed, inserted };
  }

  private async commit(manifest: Parameters<TableStoreFiles["commit"]>[0]): Promise<void> {
    try {
      await this.store.commit(manifest);
    } finally {
      await this.load();
    }
  }

  /** Writes run one after the other. Files of a failed or interrupted write are removed. */
  private write<T>(step: () => Promise<T>): Promise<T> {
    const result = this.tail.then(async () => {
      this.requireOpen();
      await this.store.beginWriting();
      try {
        await (this.isSwept ? this.store.checkUnchanged() : this.store.sweep());
        this.isSwept = true;
        return await step();
      } catch (error) {
        await this.store.sweep().catch(() => undefined);
        throw error;
      } finally {
        await this.store.endWriting();
      }
    });
    this.tail = result.catch(() => undefined);
    return result;
  }

  private checkReadable(asOf: bigint | undefined, field: string): void {
    this.requireOpen();
    const { historyStart } = this;
    if (asOf !== undefined && asOf < historyStart) {
      const expected = `at least ${historyStart}`;
      const details = { path: this.store.directory.name, field, expected, actual: String(asOf) };
      const reason = `snapshot at ${asOf} is gone: history begins at ${historyStart}`;
      throw new CFileError("E_HISTORY_GONE", reason, details);
    }
  }

  private requireOpen(): void {
    if (this.isClosed) {
      throw invalidArgument("the table store is closed", { path: this.store.directory.name });
    }
  }
}
