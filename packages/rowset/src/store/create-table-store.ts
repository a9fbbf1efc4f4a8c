/**
 * Making a row set in a directory. Rows come sorted by key, and are written as they come; or in any order, and are sorted in
 * memory, in runs that are spilled and merged when they are too many for it.
 */
import { invalidArgument } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import { concatBatches } from "@cfile/encodings/batches";
import type { ByteDirectory } from "@cfile/io";
import { fileDirectory } from "@cfile/io/file";

import { checkWriteTimestamp } from "../delta/write-timestamp.js";
import { MAX_SORTED_ROWS } from "../keys/sort-keys.js";
import { RunPile } from "../merge/run-pile.js";
import { type ColumnParts, MemoryRun, spillRun } from "../merge/sorted-run.js";
import { batchBytes } from "../read/batch-memory.js";
import { checkSchema } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import { batchesOfRows, type RowInput } from "../write/rows-to-batches.js";
import { StoredRowSetWriter } from "./stored-row-set-writer.js";
import { TableStoreFiles } from "./table-store-files.js";

/** How rows are taken: sorted or not, with how much memory, since when. */
export interface CreateTableStoreOptions extends RowSetWriterOptions {
  /** Whether rows come sorted by key; one that does not is then an error. Default `false`: they are sorted. */
  readonly sorted?: boolean | undefined;
  /** Memory for sorting, in bytes. Default 256 MiB. */
  readonly memoryBytes?: number | undefined;
  /** When the rows were inserted: at this timestamp and before, they are not there. Default: they always were. */
  readonly timestamp?: bigint | undefined;
}

const DEFAULT_MEMORY_BYTES = 256 * 1024 * 1024;
const MIN_MEMORY_BYTES = 64 * 1024;

/**
 * Begins a row set. It is in the directory when `finish` is done, and nothing of it before.
 *
 * @param directory a path, which is made a directory if there is none, or any `ByteDirectory`
 * @throws CFileError `E_INVALID_ARGUMENT` for a schema that row sets cannot have, or when there is a row set in the directory;
 *   `E_SOURCE_CHANGED` when somebody else is making one there
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
 * const creation = await createTableStore(directory, { columns });
 * await creation.appendRows([{ city: "Zug", people: 30934n }, { city: "Bern", people: 134794n }]);
 * await creation.finish();
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
  const { timestamp } = options;
  if (timestamp !== undefined) {
    checkWriteTimestamp(timestamp, 0n);
  }
  const memoryBytes = options.memoryBytes ?? DEFAULT_MEMORY_BYTES;
  if (!(memoryBytes >= MIN_MEMORY_BYTES)) {
    throw invalidArgument(`memoryBytes is ${memoryBytes}, at least ${MIN_MEMORY_BYTES} is expected`, {
      field: "memoryBytes",
    });
  }
  const place =
    typeof directory === "string" || directory instanceof URL
      ? await fileDirectory(directory, { create: true })
      : directory;
  const store = await TableStoreFiles.create(place, {
    schema,
    nextFile: 0,
    lastTimestamp: timestamp ?? 0n,
    historyStart: 0n,
    rowSets: [],
  });
  try {
    const sorted =
      options.sorted === true ? await StoredRowSetWriter.open(store, schema, options) : undefined;
    return new TableStoreWriter(store, schema, options, memoryBytes, sorted);
  } catch (error) {
    await store.endWriting();
    throw error;
  }
}

/**
 * Takes the rows of a new row set. After any error nothing of it remains; so it is when it is closed before `finish`. Until one of
 * both, nobody else can make one in the directory.
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
  private state: "open" | "finished" | "failed" = "open";

  /** @internal */
  constructor(
    store: TableStoreFiles,
    schema: RowSetSchema,
    options: CreateTableStoreOptions,
    memoryBytes: number,
    writer: StoredRowSetWriter | undefined,
  ) {
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
   * Appends rows: a batch for each column, in the order of the schema, equally long. The memory may be used again once the
   * promise is settled.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` for batches that do not fit the schema, for a key that comes twice (perhaps only in
   *   `finish`), and with `sorted` for one that comes too late; `E_IO`: the directory failed
   */
  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.attempt(() => this.take(batches, true));
  }

  /** {@link append} of rows as objects (by column name) or arrays (in the order of the schema). */
  appendRows(rows: readonly RowInput[]): Promise<void> {
    return this.attempt(() => this.take(batchesOfRows(this.schema, rows, this.rows), false));
  }

  /** Completes the row set, whose rows are now in the directory. */
  finish(): Promise<{ readonly rows: number }> {
    return this.attempt(async () => {
      const { timestamp } = this.options;
      if (this.writer === undefined) {
        const rowBytes = this.rowBytes();
        const inMemory = this.takeHeld();
        const last = inMemory && new MemoryRun(this.schema, inMemory);
        this.writer = await StoredRowSetWriter.open(this.store, this.schema, this.options);
        for await (const batches of this.runs.merged(last, rowBytes)) {
          await this.writer.append(batches, timestamp);
        }
        await this.runs.discard();
      }
      const rowSet = await this.writer.finish();
      const { lastTimestamp, historyStart, schema } = this.store.manifest;
      await this.store.commit({
        schema,
        lastTimestamp,
        historyStart,
        rowSets: rowSet === undefined ? [] : [rowSet],
      });
      this.state = "finished";
      await this.store.endWriting();
      return { rows: this.rows };
    });
  }

  /** Gives the row set up: nothing stays behind. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      await this.writer?.abort(reason);
      await this.runs.discard();
      await this.store.sweep().catch(() => undefined);
      await this.store.endWriting();
    }
  }

  /** Runs `abort` at the end of an `await using` block; after `finish` this does nothing. */
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
      // Beside the rows, the keys, and one column that is put together.
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
    const isFit =
      batches.length === columns.length &&
      batches.every((batch, i) => {
        const column = columns[i];
        return (
          batch.length === length &&
          batch.type === column?.type &&
          (batch.kind === "array") === column.array &&
          (column.nullable || batch.nullCount === 0)
        );
      });
    if (!isFit) {
      throw invalidArgument("a batch for each column, equally long and of its type, is expected", {
        field: "batches",
        actual: batches.map(({ type, length: rows, nullCount }) => `${type} ${rows}/${nullCount}`).join(", "),
      });
    }
    return length;
  }

  private takeHeld(): ColumnParts[] | undefined {
    const parts = this.schema.columns.flatMap((_, i): ColumnParts[] => {
      const [first, ...rest] = this.held.flatMap((batches) => batches.slice(i, i + 1));
      return first === undefined ? [] : [[first, ...rest]];
    });
    this.held = [];
    this.heldRows = 0;
    this.heldBytes = 0;
    return parts.length === 0 ? undefined : parts;
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

  /** What a row takes in memory, on average. */
  private rowBytes(): number {
    return (this.spilledBytes + this.heldBytes) / Math.max(1, this.spilledRows + this.heldRows);
  }

  private async attempt<T>(step: () => Promise<T>): Promise<T> {
    if (this.state !== "open") {
      throw invalidArgument(
        this.state === "finished" ? "the row set is finished" : "the row set was given up",
      );
    }
    try {
      return await step();
    } catch (error) {
      await this.abort(error);
      throw error;
    }
  }
}
