/**
 * Writing the base data of a row set (docs/spec/diskrowset.md#2-writer-options-per-file and
 * docs/spec/diskrowset.md#3-order-of-operations): the files that Kudu would write of the same rows, byte for byte.
 *
 * | file | what it is |
 * | --- | --- |
 * | a column | positional index; the only key column a value index and `min_key`, `max_key`, too |
 * | Bloom file | of the encoded keys |
 * | ad-hoc index, for keys of several columns | the encoded keys: BINARY, PREFIX_ENCODING, LZ4, blocks of 4096 bytes, value index, `min_key`, `max_key` |
 */
import type { BloomFileWriterOptions } from "@cfile/bloomfile/write";
import { BloomFileWriter } from "@cfile/bloomfile/write";
import { CFileError, invalidArgument, toHex } from "@cfile/bytes";
import type { CodecSet } from "@cfile/compression";
import type { ColumnBatch } from "@cfile/encodings";
import { BinaryBatch } from "@cfile/encodings";
import { MAX_ROWS } from "@cfile/format";
import type { WriterOptions } from "@cfile/format/write";
import { CFileWriter } from "@cfile/format/write";
import type { ByteSink } from "@cfile/io";
import type { KernelChoice } from "@cfile/kernels";
import { describeKey } from "../keys/row-key-text.js";
import { compareKeys, encodeRowKeys, keyAt, type RowKeys } from "../keys/row-keys.js";
import { checkSchema, keyColumns } from "../schema/check-schema.js";
import type { RowSetColumn, RowSetSchema } from "../schema/schema.js";
import { batchesOfRows, type RowInput } from "./rows-to-batches.js";

/** Where the files go. */
export interface RowSetSinks {
  /** A sink for every column of the schema, by column id. */
  readonly columns: ReadonlyMap<number, ByteSink>;
  readonly bloom: ByteSink;
  /** For keys of several columns, and only for those. */
  readonly adhocIndex?: ByteSink | undefined;
}

/** How the files of a row set are written. Defaults are Kudu's. */
export interface RowSetWriterOptions {
  /** Rows that Kudu hands to its column writers at a time: where blocks are cut depends on it. Default 100. */
  readonly batchRows?: number | undefined;
  /** Size of the Bloom filters. Default: Kudu's. */
  readonly bloom?: Pick<BloomFileWriterOptions, "filterBytes" | "falsePositiveRate"> | undefined;
  /** Checksums in all files. Default `true`. */
  readonly checksums?: boolean | undefined;
  readonly codecs?: CodecSet | undefined;
  /** Which version of the hot loops is used; the files are the same. Default `"auto"`. */
  readonly kernels?: KernelChoice | undefined;
}

/** What was written. */
export interface WrittenRowSet {
  readonly rows: number;
  /** Encoded key of the first and of the last row; `undefined` without rows. */
  readonly minKey: Uint8Array | undefined;
  readonly maxKey: Uint8Array | undefined;
  /** Bytes of each file. */
  readonly bytes: {
    readonly columns: ReadonlyMap<number, number>;
    readonly bloom: number;
    readonly adhocIndex: number | undefined;
  };
}

const ADHOC_INDEX_BLOCK_SIZE = 4096;
const MAX_ROW_SET_ROWS = 0xffffffff;

/**
 * Writes the base data of one row set. After any error all sinks are aborted and the writer takes nothing more; a writer
 * closed before `finish` leaves nothing behind.
 */
export class RowSetWriter {
  readonly schema: RowSetSchema;
  private readonly keyCount: number;
  private readonly columns: readonly CFileWriter[];
  private readonly bloom: BloomFileWriter;
  private readonly adhocIndex: CFileWriter | undefined;
  private rows = 0;
  private minKey: Uint8Array | undefined;
  /** The last row's key, in the form in which keys are compared. */
  private last: RowKeys = { length: 0, offsets: new Int32Array(1), data: new Uint8Array(0) };
  private state: "open" | "finished" | "failed" = "open";

  /** @throws CFileError `E_INVALID_ARGUMENT` or `E_UNSUPPORTED` for a schema or options that no row set has, or a missing sink */
  constructor(sinks: RowSetSinks, schema: RowSetSchema, options: RowSetWriterOptions = {}) {
    checkSchema(schema);
    this.schema = schema;
    this.keyCount = keyColumns(schema).length;
    if (this.keyCount > 1 !== (sinks.adhocIndex !== undefined)) {
      throw invalidArgument("keys of several columns have an ad-hoc index, and only those", {
        field: "adhocIndex",
      });
    }
    const { checksums, codecs, kernels, batchRows } = options;
    const shared = { checksums, codecs, kernels, batchRows };
    this.columns = schema.columns.map(
      (column) =>
        new CFileWriter(columnSink(sinks, column), {
          ...columnOptions(column),
          ...shared,
          validx: column.isKey && this.keyCount === 1,
        }),
    );
    this.bloom = new BloomFileWriter(sinks.bloom, { ...options.bloom, checksums });
    this.adhocIndex =
      sinks.adhocIndex &&
      new CFileWriter(sinks.adhocIndex, {
        ...shared,
        type: "BINARY",
        encoding: "PREFIX_ENCODING",
        compression: "LZ4",
        blockSize: ADHOC_INDEX_BLOCK_SIZE,
        posidx: false,
        validx: true,
      });
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.rows;
  }

  /**
   * Appends rows: a batch for each column, in the order of the schema, equally long. Their keys ascend, and are after
   * those of the rows before.
   *
   * @throws CFileError `E_INVALID_ARGUMENT` naming row and key for a key that is there already or comes too late, and for
   *   batches that do not fit the columns; `E_IO`: a sink failed
   */
  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.attempt(() => this.write(batches));
  }

  /** {@link append} of rows as objects (by column name) or arrays (in the order of the schema). */
  appendRows(rows: readonly RowInput[]): Promise<void> {
    return this.attempt(() => this.write(batchesOfRows(this.schema, rows, this.rows)));
  }

  /**
   * Writes what is left of all files and closes the sinks.
   *
   * @throws CFileError `E_IO` when a sink fails, `E_INVALID_ARGUMENT` after `finish` or an error; nothing is left of
   *   the files then
   */
  finish(): Promise<WrittenRowSet> {
    return this.attempt(async () => {
      const { minKey } = this;
      const maxKey = minKey && keyAt(this.last, this.last.length - 1);
      const keyFile = this.adhocIndex ?? this.columns[0];
      if (minKey !== undefined && maxKey !== undefined) {
        keyFile?.addMetadata("min_key", minKey);
        keyFile?.addMetadata("max_key", maxKey);
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

  /** Gives all files up: nothing stays behind. Does nothing after `finish`. */
  async abort(reason?: unknown): Promise<void> {
    if (this.state === "open") {
      this.state = "failed";
      const files = [...this.columns, this.bloom, ...(this.adhocIndex ? [this.adhocIndex] : [])];
      await Promise.allSettled(files.map((file) => file.abort(reason)));
    }
  }

  /** Runs `abort` at the end of an `await using` block; after `finish` this does nothing. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }

  private async write(batches: readonly ColumnBatch[]): Promise<void> {
    const { columns } = this.schema;
    const length = batches[0]?.length ?? 0;
    if (batches.length !== columns.length || batches.some((batch) => batch.length !== length)) {
      throw invalidArgument(`a batch of ${length} rows for each of ${columns.length} columns is expected`, {
        field: "batches",
        actual: batches.map((batch) => batch.length).join(", "),
      });
    }
    if (length === 0) {
      return;
    }
    if (this.rows + length > Math.min(MAX_ROW_SET_ROWS, MAX_ROWS)) {
      throw new CFileError("E_LIMIT", "a row set holds fewer than 2^32 rows", {
        field: "rows",
        actual: this.rows + length,
      });
    }
    const keys = encodeRowKeys(batches.slice(0, this.keyCount));
    this.checkOrder(keys);
    for (const [position, batch] of batches.entries()) {
      await this.columns[position]?.append(batch);
    }
    await this.bloom.appendMany(keys);
    await this.adhocIndex?.append(
      new BinaryBatch(
        { type: "BINARY", length, firstRow: this.rows, validity: undefined, nullCount: 0 },
        keys.offsets,
        keys.data,
      ),
    );
    this.minKey ??= keyAt(keys, 0);
    const last = keyAt(keys, length - 1);
    this.last = { length: 1, offsets: Int32Array.of(0, last.length), data: last };
    this.rows += length;
  }

  private checkOrder(keys: RowKeys): void {
    for (let row = 0; row < keys.length; row++) {
      const order =
        row > 0
          ? compareKeys(keys, row - 1, keys, row)
          : this.last.length > 0
            ? compareKeys(this.last, 0, keys, 0)
            : -1;
      if (order >= 0) {
        const key = keyAt(keys, row);
        throw invalidArgument(
          order === 0
            ? `row ${this.rows + row} has the key ${describeKey(this.schema, key)} of the row before`
            : `row ${this.rows + row} with the key ${describeKey(this.schema, key)} is before the row before it`,
          { field: "key", actual: toHex(key) },
        );
      }
    }
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

function columnSink({ columns }: RowSetSinks, { id, name }: RowSetColumn): ByteSink {
  const sink = columns.get(id);
  if (sink === undefined) {
    throw invalidArgument(`there is no sink for column ${id}, ${JSON.stringify(name)}`, { field: "columns" });
  }
  return sink;
}

function columnOptions(column: RowSetColumn): WriterOptions {
  const { type, nullable, array, encoding, compression, blockSize } = column;
  return { type, nullable, array, encoding, compression, blockSize: blockSize || undefined };
}
