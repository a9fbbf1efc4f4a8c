/**
 * Merge compaction (docs/spec/diskrowset.md#6-rolling-flush-compaction and
 * docs/spec/deltafile.md#5-who-writes-which-change-types): several row sets become one, whose base data are the latest cells.
 * A key in several row sets becomes one row: its last life is the base data, earlier lives follow in its history, each as a
 * REINSERT at the time it ended. Rows deleted before the start of history are dropped.
 */
import { corrupt, toHex } from "@cfile/bytes";
import { DELETE, encodeBatchCell, MutationBuilder, REINSERT } from "@cfile/deltafile";
import { type FoldedBatch, FoldedRows, type UndoEntry } from "../delta/folded-rows.js";
import { describeKey } from "../keys/row-key-text.js";
import { keyAt } from "../keys/row-keys.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import type { RowSetSchema } from "../schema/schema.js";
import type { ManifestRowSet } from "../store/manifest.js";
import { StoredRowSetWriter } from "../store/stored-row-set-writer.js";
import type { TableStoreFiles } from "../store/table-store-files.js";
import type { RowSetWriterOptions } from "../write/row-set-writer.js";
import { type SortedRow, SortedSources } from "./sorted-sources.js";

const BATCH_ROWS = 1024;

/**
 * Writes the merged row set into the store; `undefined` when no rows remain.
 *
 * @param parts the row sets, oldest first
 * @throws {CFileError} `E_CORRUPT` naming a key that is live in two row sets
 */
export async function mergeRowSets(
  store: TableStoreFiles,
  parts: readonly RowSetParts[],
  options: RowSetWriterOptions,
): Promise<ManifestRowSet | undefined> {
  const { schema, historyStart } = store.manifest;
  const folded: FoldedRows[] = [];
  await using writer = await StoredRowSetWriter.open(store, schema, options);
  try {
    for (const part of parts) {
      folded.push(await FoldedRows.open(part, historyStart));
    }
    const maxChosen = BATCH_ROWS * Math.max(1, folded.length);
    const sources = new SortedSources(async (i) => folded[i]?.next(BATCH_ROWS), maxChosen);
    for (const i of folded.keys()) {
      await sources.load(i);
    }
    let rows = 0;
    while (!sources.isAtEnd) {
      rows += await mergeKey(schema, sources, writer, rows, historyStart);
      if (sources.isFull || (sources.isAtEnd && sources.chosenRows > 0)) {
        await writer.append(sources.take(schema.columns.length));
      }
    }
    return await writer.finish();
  } finally {
    await Promise.all(folded.map((source) => source.close()));
  }
}

/**
 * Merges all lives of the smallest key: chooses the row of the last one and writes its history under row number `row`.
 *
 * @returns the number of rows chosen: 0 when the key was deleted before the start of history
 */
async function mergeKey(
  schema: RowSetSchema,
  sources: SortedSources<FoldedBatch>,
  { undo, redo }: StoredRowSetWriter,
  row: number,
  historyStart: bigint,
): Promise<0 | 1> {
  let life: SortedRow<FoldedBatch> = sources.minimum();
  // Newest first.
  let history = [...(life.batch.undo.get(life.row) ?? [])];
  let deletedAt = life.batch.deletedAt.get(life.row);
  await sources.advance();
  while (sources.isSame(life)) {
    if (deletedAt === undefined) {
      const key = keyAt(life.batch.keys, life.row);
      const shown = describeKey(schema, key);
      throw corrupt(`key ${shown} is live in two row sets`, { field: "key", actual: toHex(key) });
    }
    const ended = reinsertionOf(schema, life, deletedAt);
    life = sources.minimum();
    history = [...(life.batch.undo.get(life.row) ?? []), ended, ...history];
    deletedAt = life.batch.deletedAt.get(life.row);
    await sources.advance();
  }
  if (deletedAt !== undefined && deletedAt < historyStart) {
    return 0;
  }
  sources.choose(life);
  for (const { timestamp, type, mutations } of history) {
    if (timestamp >= historyStart) {
      await undo.append(row, timestamp, type, mutations);
    }
  }
  if (deletedAt !== undefined) {
    await redo.append(row, deletedAt, DELETE);
  }
  return 1;
}

/** The entry that restores a life of the key that ended at `timestamp`, with all cells except the key. */
function reinsertionOf(
  schema: RowSetSchema,
  { batch, row }: SortedRow<FoldedBatch>,
  timestamp: bigint,
): UndoEntry {
  const mutations = new MutationBuilder();
  for (const [position, { id, isKey }] of schema.columns.entries()) {
    const column = batch.columns[position];
    if (!isKey && column !== undefined) {
      mutations.set(id, encodeBatchCell(column, row));
    }
  }
  return { timestamp, type: REINSERT, mutations: mutations.finish() };
}
