/** Writes a row set to a table store: base data and their history. */
import { type ChangeType, DELETE, type DeltaKind } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ColumnBatch } from "@cfile/encodings";
import type { ByteSink } from "@cfile/io";
import { keyColumns, type RowSetSchema } from "../schema/schema.js";
import { RowSetWriter, type RowSetWriterOptions } from "../write/row-set-writer.js";
import type { ManifestFile, ManifestRowSet } from "./manifest.js";
import type { TableStoreFiles } from "./table-store-files.js";

/** Writes a delta file of a store, which is created with its first entry. */
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
      const { kind } = this;
      const { file, sink } = await this.store.createFile(kind);
      const { checksums, codecs, kernels } = this.options;
      this.opened = { file, writer: new DeltaFileWriter(sink, { kind, checksums, codecs, kernels }) };
    }
    await this.opened.writer.append(row, timestamp, type, mutations);
  }

  /** Returns the finished file; an empty list if there are no entries. */
  async finish(): Promise<ManifestFile[]> {
    if (this.opened === undefined) {
      return [];
    }
    const { bytes } = await this.opened.writer.finish();
    return [{ file: this.opened.file, bytes }];
  }

  async abort(reason?: unknown): Promise<void> {
    await this.opened?.writer.abort(reason);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}

interface FileNames {
  readonly columns: ReadonlyMap<number, string>;
  readonly bloom: string;
  readonly adhocIndex: string | undefined;
}

export class StoredRowSetWriter {
  /** Delta files of the rows, which are numbered from 0: rows must ascend in each file. */
  readonly undo: StoredDeltaWriter;
  readonly redo: StoredDeltaWriter;
  private readonly writer: RowSetWriter;
  private readonly files: FileNames;

  private constructor(
    writer: RowSetWriter,
    files: FileNames,
    store: TableStoreFiles,
    options: RowSetWriterOptions,
  ) {
    this.writer = writer;
    this.files = files;
    this.undo = new StoredDeltaWriter(store, "undo", options);
    this.redo = new StoredDeltaWriter(store, "redo", options);
  }

  /** Creates files in the same order as Kudu (docs/spec/diskrowset.md#3-order-of-operations). */
  static async open(
    store: TableStoreFiles,
    schema: RowSetSchema,
    options: RowSetWriterOptions,
  ): Promise<StoredRowSetWriter> {
    const opened: ByteSink[] = [];
    const create = async (role: string): Promise<{ file: string; sink: ByteSink }> => {
      const created = await store.createFile(role);
      opened.push(created.sink);
      return created;
    };
    try {
      const columns = new Map<number, string>();
      const sinks = new Map<number, ByteSink>();
      for (const { id } of schema.columns) {
        const { file, sink } = await create(`column-${id}`);
        columns.set(id, file);
        sinks.set(id, sink);
      }
      const bloom = await create("bloom");
      const index = keyColumns(schema).length > 1 ? await create("index") : undefined;
      const target = { columns: sinks, bloom: bloom.sink, adhocIndex: index?.sink };
      const names = { columns, bloom: bloom.file, adhocIndex: index?.file };
      return new StoredRowSetWriter(new RowSetWriter(target, schema, options), names, store, options);
    } catch (error) {
      await Promise.allSettled(opened.map((sink) => sink.abort(error)));
      throw error;
    }
  }

  get rowCount(): number {
    return this.writer.rowCount;
  }

  /** As `RowSetWriter.append`. With `insertedAt`, the rows exist only after that timestamp. */
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
    const { files } = this;
    const sized = (file: string, size = 0): ManifestFile => ({ file, bytes: size });
    const empty = new Uint8Array(0);
    return {
      rows,
      minKey: minKey ?? empty,
      maxKey: maxKey ?? empty,
      columns: new Map([...files.columns].map(([id, file]) => [id, sized(file, bytes.columns.get(id))])),
      bloom: sized(files.bloom, bytes.bloom),
      adhocIndex: files.adhocIndex === undefined ? undefined : sized(files.adhocIndex, bytes.adhocIndex),
      redo,
      undo,
    };
  }

  /** Removes files that are not finished. */
  async abort(reason?: unknown): Promise<void> {
    await Promise.allSettled([this.writer, this.undo, this.redo].map((writer) => writer.abort(reason)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.abort();
  }
}
