/** A new row set of a tablet: its files, and its message in the superblock (docs/spec/kudu-data-dir.md#7-superblock). */
import { DELETE } from "@cfile/deltafile";
import { DeltaFileWriter } from "@cfile/deltafile/write";
import type { ColumnBatch } from "@cfile/encodings";
import { type ByteSink, type ByteSource, type MemorySink, memorySink, memorySource } from "@cfile/io";
import type { RowSetFiles } from "@cfile/rowset";
import { RowSetWriter } from "@cfile/rowset/write";
import type { KuduSchema } from "../catalog/schema-message.js";
import type { ColumnDataPB, RowSetDataPB } from "../generated/decode.js";
import type { NewBlocks } from "./new-blocks.js";

/** Size of the server's row sets. */
const MAX_BYTES = 32 * 1024 * 1024;

/** A row set that is kept in memory until it is finished. */
export class LoadedRowSet {
  private readonly columns: ReadonlyMap<number, MemorySink>;
  private readonly bloom = memorySink("bloom");
  private readonly adhocIndex: MemorySink | undefined;
  private readonly writer: RowSetWriter;
  /** Bytes written to the files so far. */
  private size = 0;

  constructor(schema: KuduSchema) {
    const isComposite = schema.columns.filter(({ isKey }) => isKey).length > 1;
    this.columns = new Map(schema.columns.map(({ id }) => [id, memorySink(`column ${id}`)]));
    this.adhocIndex = isComposite ? memorySink("adhoc-index") : undefined;
    const columns = new Map([...this.columns].map(([id, sink]) => [id, this.counted(sink)]));
    const adhocIndex = this.adhocIndex && this.counted(this.adhocIndex);
    this.writer = new RowSetWriter({ columns, bloom: this.counted(this.bloom), adhocIndex }, schema);
  }

  append(batches: readonly ColumnBatch[]): Promise<void> {
    return this.writer.append(batches);
  }

  /** Whether it is as large as a row set of the server. */
  get isFull(): boolean {
    return this.size > MAX_BYTES;
  }

  /**
   * Writes its blocks.
   *
   * @param insertedAt when its rows were inserted: earlier snapshots do not include them
   * @returns its message in the superblock
   */
  async finish(id: bigint, insertedAt: bigint, blocks: NewBlocks, counted: boolean): Promise<RowSetDataPB> {
    const { rows } = await this.writer.finish();
    const undo = await insertions(rows, insertedAt);
    const columns: ColumnDataPB[] = [];
    for (const [columnId, sink] of [...this.columns].sort(([left], [right]) => left - right)) {
      columns.push({ columnId, block: await blocks.add(sink.bytes()) });
    }
    return {
      id,
      lastDurableDmsId: -1n,
      columns,
      redoDeltas: [],
      undoDeltas: [{ block: await blocks.add(undo) }],
      bloomBlock: await blocks.add(this.bloom.bytes()),
      adhocIndexBlock: this.adhocIndex && (await blocks.add(this.adhocIndex.bytes())),
      liveRowCount: counted ? rows : undefined,
    };
  }

  /** Finishes it as files in memory. @param insertedAt as for {@link finish} */
  async files(insertedAt: bigint): Promise<{ readonly files: RowSetFiles; readonly rows: number }> {
    const { base, rows } = await this.baseFiles();
    const undo = memorySource(await insertions(rows, insertedAt), "undo");
    return { files: { ...base, redo: [], undo: [undo] }, rows };
  }

  /** Finishes its base data as files in memory. */
  async baseFiles(): Promise<{ readonly base: Omit<RowSetFiles, "redo" | "undo">; readonly rows: number }> {
    const { rows } = await this.writer.finish();
    const base = {
      columns: new Map([...this.columns].map(([id, sink]) => [id, sourceOf(sink)])),
      bloom: sourceOf(this.bloom),
      adhocIndex: this.adhocIndex && sourceOf(this.adhocIndex),
    };
    return { base, rows };
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
}

function sourceOf(sink: MemorySink): ByteSource {
  return memorySource(sink.bytes(), sink.name);
}

/** The UNDO file of rows that were all inserted at one time. */
async function insertions(rows: number, timestamp: bigint): Promise<Uint8Array> {
  const sink = memorySink("undo");
  const writer = new DeltaFileWriter(sink, { kind: "undo" });
  for (let row = 0; row < rows; row++) {
    await writer.append(row, timestamp, DELETE);
  }
  await writer.finish();
  return sink.bytes();
}
