/**
 * A row set that is added to a tablet: its files, and how the superblock names them (docs/spec/kudu-data-dir.md#7-superblock).
 */
import { DELETE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ColumnBatch } from "@cfile/encodings";
import { type ByteSink, type MemorySink, memorySink } from "@cfile/io";

import { RowSetWriter } from "@cfile/rowset/write";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { BlockIdPB, ColumnDataPB, RowSetDataPB } from "../generated/decode.js";
import type { NewBlocks } from "./new-blocks.js";

/** At which size the server begins another row set. */
const MOST_BYTES = 32 * 1024 * 1024;

interface Files {
  readonly columns: ReadonlyMap<number, MemorySink>;
  readonly bloom: MemorySink;
  readonly adhocIndex: MemorySink | undefined;
}

/** A row set that is being written, in memory up to its end. */
export class LoadedRowSet {
  private readonly files: Files;
  private readonly writer: RowSetWriter;
  private readonly schema: KuduSchema;
  /** Bytes that went to the files so far. */
  private size = 0;

  constructor(schema: KuduSchema) {
    const isComposite = schema.columns.filter(({ isKey }) => isKey).length > 1;
    this.schema = schema;
    this.files = {
      columns: new Map(schema.columns.map(({ id }) => [id, memorySink(`column ${id}`)])),
      bloom: memorySink("bloom"),
      adhocIndex: isComposite ? memorySink("adhoc-index") : undefined,
    };
    const { columns, bloom, adhocIndex } = this.files;
    this.writer = new RowSetWriter(
      {
        columns: new Map([...columns].map(([id, sink]) => [id, this.counted(sink)])),
        bloom: this.counted(bloom),
        adhocIndex: adhocIndex && this.counted(adhocIndex),
      },
      schema,
    );
  }

  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.writer.append(batches);
  }

  /** Whether it is as large as the server would make one. */
  get isFull(): boolean {
    return this.size > MOST_BYTES;
  }

  /**
   * Writes its blocks.
   *
   * @param insertedAt when its rows were inserted: before, they are not there
   * @returns how the superblock names them
   */
  async finish(id: bigint, insertedAt: bigint, blocks: NewBlocks, counted: boolean): Promise<RowSetDataPB> {
    const { rows } = await this.writer.finish();
    const columns: ColumnDataPB[] = [];
    for (const columnId of this.schema.columns.map((column) => column.id).sort((a, b) => a - b)) {
      columns.push({ columnId, block: await this.addFile(blocks, this.files.columns.get(columnId)) });
    }
    const undo = { block: { id: await blocks.add(await insertions(rows, insertedAt)) } };
    return {
      id,
      lastDurableDmsId: -1n,
      columns,
      redoDeltas: [],
      undoDeltas: [undo],
      bloomBlock: await this.addFile(blocks, this.files.bloom),
      adhocIndexBlock: this.files.adhocIndex && (await this.addFile(blocks, this.files.adhocIndex)),
      liveRowCount: counted ? rows : undefined,
    };
  }

  abort(reason: unknown): Promise<void> {
    return this.writer.abort(reason);
  }

  private counted(sink: ByteSink): ByteSink {
    return {
      name: sink.name,
      write: (bytes, given) => {
        this.size += bytes.length;
        return sink.write(bytes, given);
      },
      close: () => sink.close(),
      abort: (reason) => sink.abort(reason),
    };
  }

  private async addFile(blocks: NewBlocks, sink: MemorySink | undefined): Promise<BlockIdPB> {
    return { id: await blocks.add(sink?.bytes() ?? new Uint8Array(0)) };
  }
}

/** The UNDO file of rows that were all inserted at a time. */
async function insertions(rows: number, timestamp: bigint): Promise<Uint8Array> {
  const sink = memorySink("undo");
  const writer = new DeltaFileWriter(sink, { kind: "undo" });
  for (let row = 0; row < rows; row++) {
    await writer.append(row, timestamp, DELETE);
  }
  await writer.finish();
  return sink.bytes();
}
