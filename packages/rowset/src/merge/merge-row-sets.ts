/**
 * Merge compaction (docs/spec/diskrowset.md#6-rolling-flush-compaction and
 * docs/spec/deltafile.md#5-who-writes-which-change-types): several row sets become one, whose base data are the latest cells.
 * A key that lies in several becomes one row: its last life is the base data, the lives before follow in its history, each as
 * REINSERT at the time when it ended. Rows that were deleted before history begins are left out.
 */
import { corrupt, toHex } from "@cfile/bytes";
import { DELETE, MutationBuilder, REINSERT } from "@cfile/deltafile";
import { type FoldedBatch, FoldedRows, type UndoEntry } from "../delta/folded-rows.js";
import { storedCell } from "../delta/stored-cell.js";
import { KeyHeap, type KeyHeapEntry } from "../keys/key-heap.js";
import { describeKey } from "../keys/row-key-text.js";
import { keyAt } from "../keys/row-keys.js";
import { ChosenRows, type HeldRows } from "../read/chosen-rows.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { ManifestRowSet } from "../store/manifest.js";
import { StoredRowSetWriter } from "../store/stored-row-set-writer.js";
import type { TableStoreFiles } from "../store/table-store-files.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";

const BATCH_ROWS = 1024;

interface HeldFolded extends HeldRows {
  readonly folded: FoldedBatch;
}

/**
 * Writes the merged row set into the store; `undefined` when no row is left.
 *
 * @param parts the row sets, oldest first
 * @throws CFileError `E_CORRUPT` naming a key that is alive in two row sets
 */
export async function mergeRowSets(
  store: TableStoreFiles,
  parts: readonly RowSetParts[],
  options: RowSetWriterOptions,
): Promise<ManifestRowSet | undefined> {
  const { schema, historyStart } = store.manifest;
  const sources: FoldedRows[] = [];
  const writer = await StoredRowSetWriter.open(store, schema, options);
  try {
    for (const part of parts) {
      sources.push(await FoldedRows.open(part, historyStart));
    }
    await new RowSetMerge(schema, historyStart, sources, writer).run();
    return await writer.finish();
  } catch (error) {
    await writer.abort(error);
    throw error;
  } finally {
    await Promise.all(sources.map((source) => source.close()));
  }
}

class RowSetMerge {
  private readonly schema: RowSetSchema;
  private readonly historyStart: bigint;
  private readonly sources: readonly FoldedRows[];
  private readonly writer: StoredRowSetWriter;
  private readonly heap = new KeyHeap();
  private readonly held = new Map<number, HeldFolded>();
  private readonly chosen: ChosenRows;
  /** Rows chosen so far, those of earlier batches included. */
  private rows = 0;

  constructor(
    schema: RowSetSchema,
    historyStart: bigint,
    sources: readonly FoldedRows[],
    writer: StoredRowSetWriter,
  ) {
    this.schema = schema;
    this.historyStart = historyStart;
    this.sources = sources;
    this.writer = writer;
    this.chosen = new ChosenRows(BATCH_ROWS * Math.max(1, sources.length));
  }

  async run(): Promise<void> {
    for (const source of this.sources.keys()) {
      await this.load(source);
    }
    while (this.heap.length > 0) {
      await this.takeKey();
      if (this.chosen.isFull) {
        await this.flush();
      }
    }
    await this.flush();
  }

  private async load(source: number): Promise<void> {
    this.held.delete(source);
    const folded = await this.sources[source]?.next(BATCH_ROWS);
    if (folded !== undefined) {
      const held = { folded, columns: folded.columns, keys: folded.keys, start: 0 };
      this.held.set(source, held);
      this.chosen.hold(held);
      this.heap.push(source, folded.keys, 0);
    }
  }

  private async flush(): Promise<void> {
    if (!this.chosen.isEmpty) {
      await this.writer.append(this.chosen.take(this.schema.columns.length));
    }
    this.chosen.reset(this.held.values());
  }

  /** Takes all lives of the least key; the last one's row is chosen. */
  private async takeKey(): Promise<void> {
    const history: UndoEntry[] = [];
    const first = this.heap.least();
    let life = first;
    let deletedAt = this.takeLife(first, history);
    let held = this.held.get(first.source);
    await this.advance(first);
    while (this.heap.length > 0 && this.heap.isSame(first.keys, first.row)) {
      const next = this.heap.least();
      if (deletedAt === undefined || held === undefined) {
        throw corrupt(
          `the key ${describeKey(this.schema, keyAt(first.keys, first.row))} is alive in two row sets`,
          {
            field: "key",
            actual: toHex(keyAt(first.keys, first.row)),
          },
        );
      }
      // Newest first: the life before ended when it was deleted.
      const ended = reinsertionOf(this.schema, held.folded, life.row, deletedAt);
      history.unshift(ended);
      life = next;
      const later: UndoEntry[] = [];
      deletedAt = this.takeLife(next, later);
      history.unshift(...later);
      held = this.held.get(next.source);
      await this.advance(next);
    }
    if (deletedAt !== undefined && deletedAt < this.historyStart) {
      return;
    }
    this.chosen.choose(held, life.row);
    const row = this.rows++;
    for (const { timestamp, type, mutations } of history) {
      if (timestamp >= this.historyStart) {
        await this.writer.undo.append(row, timestamp, type, mutations);
      }
    }
    if (deletedAt !== undefined) {
      await this.writer.redo.append(row, deletedAt, DELETE);
    }
  }

  private takeLife({ source, row }: KeyHeapEntry, history: UndoEntry[]): bigint | undefined {
    const folded = this.held.get(source)?.folded;
    history.push(...(folded?.undo.get(row) ?? []));
    return folded?.deletedAt.get(row);
  }

  private async advance({ source, keys, row }: KeyHeapEntry): Promise<void> {
    if (row + 1 < keys.length) {
      this.heap.replaceLeast(row + 1);
    } else {
      this.heap.pop();
      await this.load(source);
    }
  }
}

/** What brings a life back that ended at a timestamp: all its cells but the key. */
function reinsertionOf(
  schema: RowSetSchema,
  { columns }: FoldedBatch,
  row: number,
  timestamp: bigint,
): UndoEntry {
  const mutations = new MutationBuilder();
  for (const [position, { id, isKey }] of schema.columns.entries()) {
    const batch = columns[position];
    if (!isKey && batch !== undefined) {
      mutations.set(id, storedCell(batch, row));
    }
  }
  return { timestamp, type: REINSERT, mutations: mutations.finish() };
}
