/** A row set written into a store: base data, and the history that comes with it. */
import type { ChangeType, DeltaKind } from "@cfile/deltafile";
import { DELETE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ColumnBatch } from "@cfile/encodings";
import type { ByteSink } from "@cfile/io";
import { keyColumns } from "../schema/check-schema.js";
import type { RowSetSchema } from "../schema/schema.js";
import { RowSetWriter, type RowSetWriterOptions } from "../write/row-set-writer.js";
import type { ManifestFile, ManifestRowSet } from "./manifest.js";
import type { TableStoreFiles } from "./table-store-files.js";

/** A delta file of a store, which is made when it has an entry. */
export class StoredDeltaWriter {
  private readonly store: TableStoreFiles;
  private readonly kind: DeltaKind;
  private readonly options: RowSetWriterOptions;
  private opened: { readonly file: string; readonly writer: DeltaFileWriter } | undefined;

  constructor(store: TableStoreFiles, kind: DeltaKind, options: RowSetWriterOptions) {
    this.store = store;
    this.kind = kind;
    this.options = options;
  }

  /** As `DeltaFileWriter.append`. */
  async append(row: number, timestamp: bigint, type: ChangeType, mutations?: Uint8Array): Promise<void> {
    if (this.opened === undefined) {
      const { file, sink } = await this.store.createFile(this.kind);
      const { checksums, codecs, kernels } = this.options;
      this.opened = {
        file,
        writer: new DeltaFileWriter(sink, { kind: this.kind, checksums, codecs, kernels }),
      };
    }
    await this.opened.writer.append(row, timestamp, type, mutations);
  }

  /** The file; `undefined` when there was no entry. */
  async finish(): Promise<ManifestFile | undefined> {
    if (this.opened === undefined) {
      return undefined;
    }
    const { bytes } = await this.opened.writer.finish();
    return { file: this.opened.file, bytes };
  }

  async abort(reason?: unknown): Promise<void> {
    await this.opened?.writer.abort(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}

export class StoredRowSetWriter {
  /** Deltas of the rows, which are numbered from 0 on: in any file, rows ascend. */
  readonly undo: StoredDeltaWriter;
  readonly redo: StoredDeltaWriter;
  private readonly writer: RowSetWriter;
  private readonly columnFiles: ReadonlyMap<number, string>;
  private readonly bloomFile: string;
  private readonly adhocIndexFile: string | undefined;

  private constructor(
    writer: RowSetWriter,
    files: { columns: ReadonlyMap<number, string>; bloom: string; adhocIndex: string | undefined },
    deltas: { undo: StoredDeltaWriter; redo: StoredDeltaWriter },
  ) {
    this.writer = writer;
    this.columnFiles = files.columns;
    this.bloomFile = files.bloom;
    this.adhocIndexFile = files.adhocIndex;
    this.undo = deltas.undo;
    this.redo = deltas.redo;
  }

  /** Files are made in the order in which Kudu makes them (docs/spec/diskrowset.md#3-order-of-operations). */
  static async open(
    store: TableStoreFiles,
    schema: RowSetSchema,
    options: RowSetWriterOptions,
  ): Promise<StoredRowSetWriter> {
    const sinks: ByteSink[] = [];
    const create = async (role: string): Promise<{ file: string; sink: ByteSink }> => {
      const created = await store.createFile(role);
      sinks.push(created.sink);
      return created;
    };
    try {
      const columns = new Map<number, string>();
      const columnSinks = new Map<number, ByteSink>();
      for (const { id } of schema.columns) {
        const { file, sink } = await create(`column-${id}`);
        columns.set(id, file);
        columnSinks.set(id, sink);
      }
      const bloom = await create("bloom");
      const adhocIndex = keyColumns(schema).length > 1 ? await create("index") : undefined;
      const writer = new RowSetWriter(
        { columns: columnSinks, bloom: bloom.sink, adhocIndex: adhocIndex?.sink },
        schema,
        options,
      );
      return new StoredRowSetWriter(
        writer,
        { columns, bloom: bloom.file, adhocIndex: adhocIndex?.file },
        {
          undo: new StoredDeltaWriter(store, "undo", options),
          redo: new StoredDeltaWriter(store, "redo", options),
        },
      );
    } catch (error) {
      await Promise.allSettled(sinks.map((sink) => sink.abort(error)));
      throw error;
    }
  }

  get rowCount(): number {
    return this.writer.rowCount;
  }

  /** As `RowSetWriter.append`. With `insertedAt`, the rows are not there before and at that timestamp. */
  async append(batches: readonly ColumnBatch[], insertedAt?: bigint): Promise<void> {
    const from = this.rowCount;
    await this.writer.append(batches);
    if (insertedAt !== undefined) {
      for (let row = from; row < this.rowCount; row++) {
        await this.undo.append(row, insertedAt, DELETE);
      }
    }
  }

  /** The finished row set; `undefined`, and no files, when it has no rows. */
  async finish(): Promise<ManifestRowSet | undefined> {
    if (this.rowCount === 0) {
      await this.abort();
      return undefined;
    }
    const { rows, minKey, maxKey, bytes } = await this.writer.finish();
    const undo = await this.undo.finish();
    const redo = await this.redo.finish();
    const empty = new Uint8Array(0);
    return {
      rows,
      minKey: minKey ?? empty,
      maxKey: maxKey ?? empty,
      columns: new Map(
        [...this.columnFiles].map(([id, file]) => [id, { file, bytes: bytes.columns.get(id) ?? 0 }]),
      ),
      bloom: { file: this.bloomFile, bytes: bytes.bloom },
      adhocIndex:
        this.adhocIndexFile === undefined
          ? undefined
          : { file: this.adhocIndexFile, bytes: bytes.adhocIndex ?? 0 },
      redo: redo === undefined ? [] : [redo],
      undo: undo === undefined ? [] : [undo],
    };
  }

  /** Gives up what is not finished. */
  async abort(reason?: unknown): Promise<void> {
    await Promise.allSettled([this.writer.abort(reason), this.undo.abort(reason), this.redo.abort(reason)]);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}
