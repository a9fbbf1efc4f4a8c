/**
 * A row set in a directory, to be read and changed. Base data never change: a write adds REDO files to the row sets that have the
 * rows, and rows that are new, or were deleted, go to a row set of their own; `compact` makes one row set of all.
 */

import { CFileError, invalidArgument } from "@cfile/bytes";
import { LATEST_TIMESTAMP } from "@cfile/deltafile";
import { openDeltaFile } from "@cfile/deltafile/read";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { TableBatch } from "@cfile/encodings/batches";
import type { ByteSource } from "@cfile/io";
import type { DiffOptions } from "../delta/row-changes.js";
import { type HistoryOptions, type RowVersion, versionsSince } from "../delta/row-history.js";
import { checkWriteTimestamp } from "../delta/write-timestamp.js";
import type { RowKey } from "../keys/row-key.js";
import { mergeRowSets } from "../merge/merge-row-sets.js";
import type { DiffBatch, RowCells } from "../read/row-batch.js";
import type { LookUpOptions } from "../read/row-look-up.js";
import type { RowSetFiles } from "../read/row-set-files.js";
import { cacheBudget, type RowSetOptions } from "../read/row-set-parts.js";
import { openRowSet, type RowSetReader } from "../read/row-set-reader.js";
import type { RowScanOptions } from "../read/scan-options.js";
import { TabletReader } from "../read/tablet-reader.js";
import type { RowSetSchema } from "../schema/schema.js";
import { type RowSetVerifyOptions, type RowSetVerifyReport, verifyRowSet } from "../verify/verify-row-set.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import { batchesOfRows, type RowInput } from "../write/rows-to-batches.js";
import { filesOf, type ManifestFile, type ManifestRowSet } from "./manifest.js";
import { type PlannedWrite, planDeletes, planRows, type WriteMode } from "./plan-writes.js";
import { StoredDeltaWriter, StoredRowSetWriter } from "./stored-row-set-writer.js";
import type { TableStoreFiles } from "./table-store-files.js";

export interface OpenTableStoreOptions extends RowSetOptions {
  /** How new files are written. */
  readonly writer?: RowSetWriterOptions | undefined;
}

/** What a write did. */
export interface WriteResult {
  /** Rows that were there, and are changed or deleted. */
  readonly changed: number;
  readonly inserted: number;
}

/**
 * One writer at a time: a write while somebody else is writing, or after somebody else has written, fails with
 * `E_SOURCE_CHANGED` and changes nothing.
 */
export class TableStore {
  private readonly store: TableStoreFiles;
  private readonly options: OpenTableStoreOptions;
  /** By file; kept until the end, as a scan may still read what a compaction has replaced. */
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

  /** States before this timestamp are gone. */
  get historyStart(): bigint {
    return this.store.manifest.historyStart;
  }

  /** The row sets that the rows lie in, oldest first. */
  get rowSets(): readonly RowSetReader[] {
    return this.tablet.rowSets;
  }

  /** The names of the files of each row set, oldest first. */
  get files(): readonly (readonly ManifestFile[])[] {
    return this.store.manifest.rowSets.map(filesOf);
  }

  /**
   * The rows in key order.
   *
   * @throws CFileError as `TabletReader.scan`; `E_HISTORY_GONE` for a state that is gone
   */
  scan(options: RowScanOptions = {}): AsyncGenerator<TableBatch, void, void> {
    this.checkState(options.asOf, "asOf");
    return this.tablet.scan(options);
  }

  /** The state at a timestamp: what was written before it. */
  asOf(timestamp: bigint): Pick<TableStore, "scan" | "get"> {
    this.checkState(timestamp, "asOf");
    return {
      scan: (options = {}) => this.scan({ ...options, asOf: timestamp }),
      get: (key, options = {}) => this.get(key, { ...options, asOf: timestamp }),
    };
  }

  /** One row by its key; `undefined` when there is none. Errors are those of {@link scan}. */
  async get(key: RowKey, options: LookUpOptions = {}): Promise<RowCells | undefined> {
    this.checkState(options.asOf, "asOf");
    return this.tablet.get(key, options);
  }

  /** The rows that changed at timestamps from `from` (inclusive) to `to` (exclusive), as they are at `to`. */
  diff(
    from: bigint,
    to: bigint = LATEST_TIMESTAMP,
    options: DiffOptions = {},
  ): AsyncGenerator<DiffBatch, void, void> {
    this.checkState(from, "from");
    return this.tablet.diff(from, to, options);
  }

  /** All versions of a row since {@link historyStart}, oldest first: that of this time, and those that were made later. */
  async history(key: RowKey, options: HistoryOptions = {}): Promise<RowVersion[]> {
    this.requireOpen();
    return versionsSince(await this.tablet.history(key, options), this.historyStart);
  }

  /**
   * Changes cells of rows that are there. Rows have their key and the cells that change; as arrays, the others are `undefined`.
   *
   * @param timestamp when it happens, not before {@link lastTimestamp}
   * @throws CFileError `E_NOT_FOUND` naming a key that is not there; `E_INVALID_ARGUMENT`: rows that do not fit, a key that comes
   *   twice, a timestamp that goes back; `E_SOURCE_CHANGED`: somebody else has written, or is writing; `E_IO`. Nothing is changed then.
   */
  update(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "update");
  }

  /** Adds rows whose keys are not there: `E_INVALID_ARGUMENT` names one that is. Otherwise as {@link update}. */
  insert(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "insert");
  }

  /** Updates rows that are there, and adds the others, of which a cell that is missing is null. Otherwise as {@link update}. */
  upsert(rows: readonly RowInput[], timestamp: bigint): Promise<WriteResult> {
    return this.writeRows(rows, timestamp, "upsert");
  }

  /** Deletes rows by their keys. Otherwise as {@link update}. */
  delete(keys: readonly RowKey[], timestamp: bigint): Promise<WriteResult> {
    return this.write(async () => {
      checkWriteTimestamp(timestamp, this.lastTimestamp);
      return this.apply(await planDeletes(this.schema, this.rowSets, keys), timestamp);
    });
  }

  /**
   * Folds all changes into the base data and makes one row set of all. What undoes them is left behind, so that every state can
   * still be read. Rows that were deleted before {@link historyStart} are gone.
   *
   * @throws CFileError `E_IO` when the directory fails; `E_CORRUPT`, `E_CHECKSUM` or `E_TRUNCATED` when a file is
   *   damaged; nothing is changed then
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
   * Gives up the states before a timestamp: what undoes earlier changes is removed. Rows that were deleted before are removed by the
   * next {@link compact}.
   *
   * @throws CFileError `E_IO` when the directory fails; `E_SOURCE_CHANGED` when somebody else wrote to it
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
          const shorter = await this.withoutEntriesBefore(file, timestamp);
          if (shorter !== undefined) {
            undo.push(shorter);
          }
        }
        kept.push({ ...rowSet, undo });
      }
      await this.commit({ ...rest, historyStart: timestamp, rowSets: kept });
    });
  }

  /**
   * Checks all files of all row sets, oldest first, as `verifyRowSet`.
   *
   * @throws CFileError only when a source fails: damage is reported
   */
  async verify(options: RowSetVerifyOptions = {}): Promise<RowSetVerifyReport[]> {
    this.requireOpen();
    const reports: RowSetVerifyReport[] = [];
    for (const { files } of this.rowSets) {
      reports.push(await verifyRowSet(files, this.schema, options));
    }
    return reports;
  }

  /** Waits for the writes that were begun, then closes all files. */
  async close(): Promise<void> {
    this.isClosed = true;
    await this.tail.catch(() => undefined);
    await Promise.all([...this.sources.values()].map((source) => source.close?.()));
    this.sources.clear();
    this.readers.clear();
  }

  /** Closes it at the end of an `await using` block, as `close` does. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** @internal Opens the row sets of the manifest that are not open yet. */
  async load(): Promise<void> {
    const readers: RowSetReader[] = [];
    const known = new Map(this.readers);
    this.readers.clear();
    for (const rowSet of this.store.manifest.rowSets) {
      const reader = known.get(rowSet) ?? (await openRowSet(this.filesOf(rowSet), this.schema, this.options));
      this.readers.set(rowSet, reader);
      readers.push(reader);
      if (reader.rowCount !== rowSet.rows) {
        throw new CFileError(
          "E_CORRUPT",
          `the key file has ${reader.rowCount} rows, ${rowSet.rows} are stated`,
          {
            path: this.store.directory.name,
            field: "rows",
            expected: rowSet.rows,
            actual: reader.rowCount,
          },
        );
      }
    }
    this.tablet = new TabletReader(this.schema, readers);
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
    let source = this.sources.get(file);
    if (source === undefined) {
      source = this.store.source(file, bytes);
      this.sources.set(file, source);
    }
    return source;
  }

  private writeRows(rows: readonly RowInput[], timestamp: bigint, mode: WriteMode): Promise<WriteResult> {
    return this.write(async () => {
      checkWriteTimestamp(timestamp, this.lastTimestamp);
      return this.apply(await planRows(this.schema, this.rowSets, rows, mode), timestamp);
    });
  }

  /** Writes what was planned; all of it is there when the manifest is, or nothing. */
  private async apply({ changes, inserts }: PlannedWrite, timestamp: bigint): Promise<WriteResult> {
    const { rowSets, lastTimestamp: _, ...rest } = this.store.manifest;
    const { store, schema } = this;
    const options = this.options.writer ?? {};
    const batches = batchesOfRows(schema, inserts);
    const next: ManifestRowSet[] = [];
    let changed = 0;
    for (const [number, rowSet] of rowSets.entries()) {
      const entries = changes.get(number);
      if (entries === undefined) {
        next.push(rowSet);
        continue;
      }
      await using redo = new StoredDeltaWriter(store, "redo", options);
      for (const { row, type, mutations } of entries) {
        await redo.append(row, timestamp, type, mutations);
      }
      const file = await redo.finish();
      next.push(file === undefined ? rowSet : { ...rowSet, redo: [...rowSet.redo, file] });
      changed += entries.length;
    }
    if (inserts.length > 0) {
      await using writer = await StoredRowSetWriter.open(store, schema, options);
      await writer.append(batches, timestamp);
      const inserted = await writer.finish();
      next.push(...(inserted === undefined ? [] : [inserted]));
    }
    if (changed > 0 || inserts.length > 0) {
      await this.commit({ ...rest, lastTimestamp: timestamp, rowSets: next });
    }
    return { changed, inserted: inserts.length };
  }

  private async withoutEntriesBefore(
    { file, bytes }: ManifestFile,
    timestamp: bigint,
  ): Promise<ManifestFile | undefined> {
    const reader = await openDeltaFile(this.source({ file, bytes }));
    const { minTimestamp, maxTimestamp } = reader.statistics;
    if (minTimestamp >= timestamp) {
      return { file, bytes };
    }
    if (maxTimestamp < timestamp) {
      return undefined;
    }
    const created = await this.store.createFile("undo");
    await using writer = new DeltaFileWriter(created.sink, { kind: "undo" });
    for await (const batch of reader.entries({ timestamps: { from: timestamp } })) {
      await writer.appendBatch(batch);
    }
    return { file: created.file, bytes: (await writer.finish()).bytes };
  }

  private async commit(manifest: Parameters<TableStoreFiles["commit"]>[0]): Promise<void> {
    try {
      await this.store.commit(manifest);
    } finally {
      await this.load();
    }
  }

  /** Writes happen one after the other. Files of one that was broken off are removed. */
  private write<T>(step: () => Promise<T>): Promise<T> {
    const result = this.tail.then(async () => {
      this.requireOpen();
      await this.store.beginWriting();
      try {
        await (this.isSwept ? this.store.checkUnchanged() : this.store.sweep());
        this.isSwept = true;
        return await this.attempt(step);
      } finally {
        await this.store.endWriting();
      }
    });
    this.tail = result.catch(() => undefined);
    return result;
  }

  private async attempt<T>(step: () => Promise<T>): Promise<T> {
    try {
      return await step();
    } catch (error) {
      await this.store.sweep().catch(() => undefined);
      throw error;
    }
  }

  private checkState(asOf: bigint | undefined, field: string): void {
    this.requireOpen();
    if (asOf !== undefined && asOf < this.historyStart) {
      throw new CFileError(
        "E_HISTORY_GONE",
        `the state at ${asOf} is gone: history begins at ${this.historyStart}`,
        {
          path: this.store.directory.name,
          field,
          expected: `at least ${this.historyStart}`,
          actual: String(asOf),
        },
      );
    }
  }

  private requireOpen(): void {
    if (this.isClosed) {
      throw invalidArgument("the row set is closed", { path: this.store.directory.name });
    }
  }
}
