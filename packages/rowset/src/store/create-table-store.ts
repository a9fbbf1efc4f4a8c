/**
 * Creates table stores. Rows that arrive in key order are written directly. Other rows are sorted in memory; if they do not fit, they
 * are spilled as sorted runs, which are merged at the end.
 */
import { invalidArgument, invalidOption } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { concatBatches } from "@cfile/encodings/batches";
import type { ByteDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";
import { MAX_SORTED_ROWS } from "../keys/sort-keys.js";
import { RunPile } from "../merge/run-pile.js";
import { memoryRun, spillRun } from "../merge/sorted-run.js";
import { checkWriteTimestamp } from "../read/scan-options.js";
import { checkSchema, type RowSetSchema } from "../schema/schema.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import { batchesOfRows, type RowInput } from "../write/rows-to-batches.js";
import { StoredRowSetWriter } from "./stored-row-set-writer.js";
import { TableStoreFiles } from "./table-store-files.js";

/** Options for creating a table store. */
export interface CreateTableStoreOptions extends RowSetWriterOptions {
  /** Whether rows arrive in key order; any other order is then an error. Default `false`: rows are sorted. */
  readonly sorted?: boolean | undefined;
  /** Memory for sorting, in bytes, at least 64 KiB. Default 256 MiB. */
  readonly memoryBytes?: number | undefined;
  /** When the rows were inserted: snapshots at or before it do not contain them. Default: all snapshots do. */
  readonly timestamp?: bigint | undefined;
}

const DEFAULT_MEMORY_BYTES = 256 * 1024 * 1024;
const MIN_MEMORY_BYTES = 64 * 1024;

/**
 * Creates a table store, which exists once `finish` has completed.
 *
 * @param directory a path, which is created if it does not exist, or any `ByteDirectory`
 * @throws {CFileError} `E_INVALID_ARGUMENT` for an invalid schema or option, or when the directory already contains a table store;
 *   `E_SOURCE_CHANGED` when another writer is creating one there; `E_IO`
 *
 * @example
 * ```js
 * import { MemoryDirectory } from "@cfile/io";
 * import { createTableStore, openTableStore } from "@cfile/rowset/store";
 *
 * const directory = new MemoryDirectory(); // or a path
 * const columns = [
 *   { id: 1, name: "city", type: "STRING", nullable: false, array: false, isKey: true },
 *   { id: 2, name: "people", type: "INT64", nullable: true, array: false, isKey: false },
 * ];
 * const writer = await createTableStore(directory, { columns });
 * await writer.appendRows([{ city: "Zug", people: 30934n }, { city: "Bern", people: 134794n }]);
 * await writer.finish();
 * const table = await openTableStore(directory);
 * console.log((await table.get(["Zug"])).cells);
 * ```
 *
 * ```text
 * [ 'Zug', 30934n ]
 * ```
 */
export async function createTableStore(
  directory: ByteDirectory | string | URL,
  schema: RowSetSchema,
  options: CreateTableStoreOptions = {},
): Promise<TableStoreWriter> {
  checkSchema(schema);
  const { memoryBytes = DEFAULT_MEMORY_BYTES, timestamp } = options;
  if (timestamp !== undefined) {
    checkWriteTimestamp(timestamp, 0n);
  }
  if (!(memoryBytes >= MIN_MEMORY_BYTES)) {
    throw invalidOption("memoryBytes", memoryBytes, `a number >= ${MIN_MEMORY_BYTES}`);
  }
  const opened =
    typeof directory === "string" || directory instanceof URL
      ? await fileDirectory(directory, { create: true })
      : directory;
  const manifest = { schema, nextFile: 0, lastTimestamp: timestamp ?? 0n, historyStart: 0n, rowSets: [] };
  const store = await TableStoreFiles.create(opened, manifest);
  try {
    const sorted = options.sorted ? await StoredRowSetWriter.open(store, schema, options) : undefined;
    return new TableStoreWriter(store, options, memoryBytes, sorted);
  } catch (error) {
    await store.endWriting();
    throw error;
  }
}

/**
 * Writes the rows of a new table store. An error, or `abort` before `finish`, removes everything written. Until then, no other
 * writer can create a store in the directory.
 */
export class TableStoreWriter {
  private readonly store: TableStoreFiles;
  private readonly schema: RowSetSchema;
  private readonly options: CreateTableStoreOptions;
  private readonly memoryBytes: number;
  private writer: StoredRowSetWriter | undefined;
  private readonly runs: RunPile;
  private held: ColumnBatch[][] = [];
  private heldRows = 0;
  private heldBytes = 0;
  private spilledRows = 0;
  private spilledBytes = 0;
  private rows = 0;
  private state: "open" | "finished" | "aborted" = "open";

  /** @internal */
  constructor(
    store: TableStoreFiles,
    options: CreateTableStoreOptions,
    memoryBytes: number,
    writer: StoredRowSetWriter | undefined,
  ) {
    const { schema } = store.manifest;
    this.store = store;
    this.schema = schema;
    this.options = options;
    this.memoryBytes = memoryBytes;
    this.writer = writer;
    this.runs = new RunPile(store, schema, memoryBytes);
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /**
   * Appends rows. Memory of the batches may be reused when the promise has settled.
   *
   * @param batches one per column, in schema order, of equal length
   * @throws {CFileError} `E_INVALID_ARGUMENT` for batches that do not fit the schema, a duplicate key (perhaps only in `finish`), and,
   *   with `sorted`, a key out of order; `E_IO` when the directory fails
   */
  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.attempt(() => this.take(batches, true));
  }

  /** {@link append} for rows as objects (by column name) or arrays (in schema order). */
  appendRows(rows: readonly RowInput[]): Promise<void> {
    return this.attempt(() => this.take(batchesOfRows(this.schema, rows, this.rows), false));
  }

  /** Completes the table store. @throws {CFileError} as {@link append} */
  finish(): Promise<{ readonly rows: number }> {
    return this.attempt(async () => {
      const { timestamp } = this.options;
      if (this.writer === undefined) {
        const rowBytes = this.rowBytes();
        const inMemory = this.takeHeld();
        const last = inMemory && memoryRun(this.schema, inMemory);
        this.writer = await StoredRowSetWriter.open(this.store, this.schema, this.options);
        for await (const batches of this.runs.merged(last, rowBytes)) {
          await this.writer.append(batches, timestamp);
        }
        await this.runs.discard();
      }
      const rowSet = await this.writer.finish();
      const rowSets = rowSet === undefined ? [] : [rowSet];
      await this.store.commit({ ...this.store.manifest, rowSets });
      this.state = "finished";
      await this.store.endWriting();
      return { rows: this.rows };
    });
  }

  /** Removes everything written. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "aborted";
      await this.writer?.abort(reason);
      await this.runs.discard();
      await this.store.sweep().catch(() => undefined);
      await this.store.endWriting();
    }
  }

  /** Calls {@link abort} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private async take(batches: readonly ColumnBatch[], isShared: boolean): Promise<void> {
    const length = this.checkBatches(batches);
    if (length === 0) {
      return;
    }
    if (this.writer !== undefined) {
      await this.writer.append(batches, this.options.timestamp);
      this.rows += length;
      return;
    }
    for (let from = 0; from < length; from += MAX_SORTED_ROWS) {
      const to = Math.min(length, from + MAX_SORTED_ROWS);
      if (this.heldRows + to - from > MAX_SORTED_ROWS) {
        await this.spill();
      }
      const isWhole = !isShared && from === 0 && to === length;
      const kept = isWhole ? [...batches] : batches.map((batch) => concatBatches([{ batch, from, to }]));
      this.held.push(kept);
      this.heldRows += to - from;
      // Sorting needs encoded keys, and one column at a time as a single batch.
      this.heldBytes += 2 * kept.reduce((sum, batch) => sum + batchBytes(batch), 0) + 16 * (to - from);
    }
    this.rows += length;
    if (this.heldBytes >= this.memoryBytes) {
      await this.spill();
    }
  }

  private checkBatches(batches: readonly ColumnBatch[]): number {
    const { columns } = this.schema;
    const length = batches[0]?.length ?? 0;
    const fits = (batch: ColumnBatch, i: number): boolean => {
      const column = columns[i];
      return (
        batch.length === length &&
        batch.type === column?.type &&
        (batch.kind === "array") === column.array &&
        (column.nullable || batch.nullCount === 0)
      );
    };
    if (batches.length !== columns.length || !batches.every(fits)) {
      const actual = batches
        .map(({ type, length: rows, nullCount }) => `${type} ${rows}/${nullCount}`)
        .join(", ");
      const reason = `invalid batches (expected one per column, of its type, of equal length; found ${actual})`;
      throw invalidArgument(reason, { field: "batches", actual });
    }
    return length;
  }

  private takeHeld(): (readonly ColumnBatch[])[] | undefined {
    const { held } = this;
    this.held = [];
    this.heldRows = 0;
    this.heldBytes = 0;
    return held.length === 0
      ? undefined
      : this.schema.columns.map((_, i) => held.flatMap((batches) => batches[i] ?? []));
  }

  private async spill(): Promise<void> {
    const rowBytes = this.rowBytes();
    this.spilledRows += this.heldRows;
    this.spilledBytes += this.heldBytes;
    const held = this.takeHeld();
    if (held !== undefined) {
      await this.runs.add(await spillRun(this.store, this.schema, held), rowBytes);
    }
  }

  /** Average memory per row. */
  private rowBytes(): number {
    return (this.spilledBytes + this.heldBytes) / Math.max(1, this.spilledRows + this.heldRows);
  }

  private async attempt<T>(step: () => Promise<T>): Promise<T> {
    if (this.state !== "open") {
      throw invalidArgument(`cannot write: table store is ${this.state}`);
    }
    try {
      return await step();
    } catch (error) {
      await this.abort(error);
      throw error;
    }
  }
}

/** Memory of the rows of a batch, in bytes. */
function batchBytes(batch: ColumnBatch): number {
  const { length } = batch;
  const validity = length >>> 3;
  switch (batch.kind) {
    case "fixed":
      return validity + batch.values.byteLength;
    case "bool":
      return 2 * validity;
    case "binary":
      return validity + 4 * length + stringBytes(batch.offsets, length);
    case "dictionary":
      return validity + 4 * length + stringBytes(batch.dictionary.offsets, batch.dictionary.length);
    case "array":
      return validity + 4 * length + batchBytes(batch.child);
  }
}

function stringBytes(offsets: Int32Array, length: number): number {
  return (offsets[length] as number) - (offsets[0] as number);
}
