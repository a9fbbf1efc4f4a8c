/**
 * Writes the base data of a row set (docs/spec/diskrowset.md#2-writer-options-per-file and
 * docs/spec/diskrowset.md#3-order-of-operations), byte-identical to Kudu's files for the same rows.
 *
 * | file | content |
 * | --- | --- |
 * | column | positional index; if it is the only key column, also a value index, `min_key` and `max_key` |
 * | Bloom file | encoded keys |
 * | ad-hoc index, for keys of several columns | encoded keys: BINARY, PREFIX_ENCODING, LZ4, blocks of 4096 bytes, value index, `min_key`, `max_key` |
 */
import { BloomFileWriter, type BloomFileWriterOptions } from "@cfile/bloomfile/write";
import { CFileError, invalidArgument, toHex } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import type { ColumnBatch } from "@cfile/encodings";
import { MAX_ROWS } from "@cfile/format";
import { CFileWriter } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { describeKey } from "../keys/row-key-text.js";
import { compareKeys, encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { checkSchema, keyColumns, type RowSetColumn, type RowSetSchema } from "../schema/schema.js";
import { addKeyBounds, adhocIndexWriter, keyValues } from "./adhoc-index.js";
import { batchesOfRows, type RowInput } from "./rows-to-batches.js";

/** Sinks of the files. */
export interface RowSetSinks {
  /** A sink for every column of the schema, by column ID. */
  readonly columns: ReadonlyMap<number, ByteSink>;
  readonly bloom: ByteSink;
  /** Required for keys of several columns, and only for those. */
  readonly adhocIndex?: ByteSink | undefined;
}

/** Options for writing the files of a row set. Defaults are Kudu's. */
export interface RowSetWriterOptions {
  /** Rows that Kudu passes to its column writers at a time, which decides where blocks end. Default 100. */
  readonly batchRows?: number | undefined;
  /** Size of the Bloom filters. Default: Kudu's. */
  readonly bloom?: Pick<BloomFileWriterOptions, "filterBytes" | "falsePositiveRate"> | undefined;
  /** Checksums in all files. Default `true`. */
  readonly checksums?: boolean | undefined;
  readonly codecs?: CodecSet | undefined;
  /** Implementation of the hot loops; files are the same. Default `"auto"`. */
  readonly kernels?: KernelChoice | undefined;
}

/** A finished row set. */
export interface WrittenRowSet {
  readonly rows: number;
  /** Encoded keys of the first and the last row; `undefined` without rows. */
  readonly minKey: Uint8Array | undefined;
  readonly maxKey: Uint8Array | undefined;
  /** Size of each file in bytes. */
  readonly bytes: {
    readonly columns: ReadonlyMap<number, number>;
    readonly bloom: number;
    readonly adhocIndex: number | undefined;
  };
}

const MAX_ROW_SET_ROWS = 0xffffffff;

/** Writes the base data of one row set. After an error, all sinks are aborted and the writer accepts no more calls. */
export class RowSetWriter {
  readonly schema: RowSetSchema;
  private readonly keyCount: number;
  private readonly columns: readonly CFileWriter[];
  private readonly bloom: BloomFileWriter;
  private readonly adhocIndex: CFileWriter | undefined;
  private rows = 0;
  private minKey: Uint8Array | undefined;
  /** The key of the last row. */
  private last: RowKeys | undefined;
  private state: "open" | "finished" | "aborted" = "open";

  /** @throws {CFileError} `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for an invalid schema or option, or a missing sink */
  constructor(sinks: RowSetSinks, schema: RowSetSchema, options: RowSetWriterOptions = {}) {
    checkSchema(schema);
    this.schema = schema;
    this.keyCount = keyColumns(schema).length;
    if (this.keyCount > 1 !== (sinks.adhocIndex !== undefined)) {
      const reason = "keys of several columns require an ad-hoc index, others have none";
      throw invalidArgument(reason, { field: "adhocIndex" });
    }
    const { bloom, checksums, codecs, kernels, batchRows } = options;
    const shared = { checksums, codecs, kernels, batchRows };
    this.columns = schema.columns.map((column) => {
      const { type, nullable, array, encoding, compression } = column;
      const shape = {
        type,
        nullable,
        array,
        encoding,
        compression,
        blockSize: column.blockSize || undefined,
      };
      const validx = column.isKey && this.keyCount === 1;
      return new CFileWriter(columnSink(sinks, column), { ...shared, ...shape, validx });
    });
    this.bloom = new BloomFileWriter(sinks.bloom, { ...bloom, checksums });
    this.adhocIndex = sinks.adhocIndex && adhocIndexWriter(sinks.adhocIndex, shared);
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /**
   * Appends rows with ascending keys.
   *
   * @param batches one per column, in schema order, of equal length
   * @throws {CFileError} `E_INVALID_ARGUMENT` naming row and key for a key that is not greater than the previous one, and for
   *   batches that do not fit the columns; `E_LIMIT` above 2^32 - 1 rows; `E_IO` when a sink fails
   */
  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.attempt(() => this.write(batches));
  }

  /** {@link append} for rows as objects (by column name) or arrays (in schema order). */
  appendRows(rows: readonly RowInput[]): Promise<void> {
    return this.attempt(() => this.write(batchesOfRows(this.schema, rows, this.rows)));
  }

  /**
   * Completes all files and closes the sinks.
   *
   * @throws {CFileError} `E_IO` when a sink fails; `E_INVALID_ARGUMENT` after `finish` or an error. All files are then removed
   */
  finish(): Promise<WrittenRowSet> {
    return this.attempt(async () => {
      const { minKey } = this;
      const maxKey = this.last && keyAt(this.last, 0);
      const keyFile = this.adhocIndex ?? this.columns[0];
      if (keyFile !== undefined && minKey !== undefined && maxKey !== undefined) {
        addKeyBounds(keyFile, minKey, maxKey);
      }
      const columns = new Map<number, number>();
      for (const [position, { id }] of this.schema.columns.entries()) {
        const written = await this.columns[position]?.finish();
        columns.set(id, written?.bytes ?? 0);
      }
      const adhocIndex = await this.adhocIndex?.finish();
      const bloom = await this.bloom.finish();
      this.state = "finished";
      const bytes = { columns, bloom: bloom.bytes, adhocIndex: adhocIndex?.bytes };
      return { rows: this.rows, minKey, maxKey, bytes };
    });
  }

  /** Removes all files. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "aborted";
      const files = [...this.columns, this.bloom, ...(this.adhocIndex ? [this.adhocIndex] : [])];
      await Promise.allSettled(files.map((file) => file.abort(reason)));
    }
  }

  /** Calls {@link abort} at the end of an `await using` block. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private async write(batches: readonly ColumnBatch[]): Promise<void> {
    const { columns } = this.schema;
    const length = batches[0]?.length ?? 0;
    if (batches.length !== columns.length || batches.some((batch) => batch.length !== length)) {
      const actual = batches.map((batch) => batch.length).join(", ");
      const reason = `invalid batches (expected ${columns.length} of equal length, found lengths ${actual})`;
      throw invalidArgument(reason, { field: "batches", actual });
    }
    if (length === 0) {
      return;
    }
    if (this.rows + length > Math.min(MAX_ROW_SET_ROWS, MAX_ROWS)) {
      const details = { field: "rows", actual: this.rows + length };
      throw new CFileError("E_LIMIT", "too many rows in a row set (maximum 2^32 - 1)", details);
    }
    const keys = encodeRowKeys(batches.slice(0, this.keyCount));
    this.checkOrder(keys);
    for (const [position, batch] of batches.entries()) {
      await this.columns[position]?.append(batch);
    }
    await this.bloom.appendMany(keys);
    await this.adhocIndex?.append(keyValues(keys, this.rows));
    this.minKey ??= keyAt(keys, 0);
    const last = keyAt(keys, length - 1);
    this.last = { length: 1, offsets: Int32Array.of(0, last.length), data: last };
    this.rows += length;
  }

  private checkOrder(keys: RowKeys): void {
    const { last } = this;
    for (let row = 0; row < keys.length; row++) {
      const order =
        row > 0 ? compareKeys(keys, row - 1, keys, row) : last ? compareKeys(last, 0, keys, 0) : -1;
      if (order >= 0) {
        const key = keyAt(keys, row);
        const found = order === 0 ? "equals the key of" : "is less than the key of";
        throw invalidArgument(
          `key ${describeKey(this.schema, key)} of row ${this.rows + row} ${found} the previous row`,
          { field: "key", actual: toHex(key) },
        );
      }
    }
  }

  private async attempt<T>(step: () => Promise<T>): Promise<T> {
    if (this.state !== "open") {
      throw invalidArgument(`cannot write: row set is ${this.state}`);
    }
    try {
      return await step();
    } catch (error) {
      await this.abort(error);
      throw error;
    }
  }
}

function columnSink({ columns }: RowSetSinks, { id, name }: RowSetColumn): ByteSink {
  const sink = columns.get(id);
  if (sink === undefined) {
    throw invalidArgument(`missing sink of column ${id}, ${JSON.stringify(name)}`, { field: "columns" });
  }
  return sink;
}
