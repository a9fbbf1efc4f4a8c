/**
 * The diff of a row set between two timestamps (docs/spec/deltafile.md#71-diff-between-two-snapshots): rows with an entry in
 * between, in the later snapshot, except rows that exist in neither snapshot. Rows without entries are never read.
 */
import { invalidArgument } from "@cfile/bytes";
import type { DiffEntry } from "@cfile/deltafile";
import { checkTimestamp, compareDiffEntries, isNeededForDiff, isReportedInDiff } from "@cfile/deltafile";
import type { ColumnBatch } from "@cfile/encodings";
import { type TableBatch, takeRows } from "@cfile/encodings/batches";
import { type BaseColumn, openBaseColumn } from "../read/base-column.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { checkBatchRows, type RowScanOptions } from "../read/scan-options.js";
import { columnsNamed } from "../schema/schema.js";
import { DeltaCursor } from "./delta-cursor.js";
import { type DeltaMerger, mergeDeltas } from "./delta-merger.js";

/** Options for a diff: its columns, and the number of rows that are read together. */
export type DiffOptions = Pick<RowScanOptions, "columns" | "batchRows" | "signal">;

/** Rows that changed between two timestamps, as of the later one. */
export interface DiffBatch extends TableBatch {
  /** Per row: 1 when it is deleted, with its last cells; else 0. */
  readonly deleted: Uint8Array;
  /** Per row: timestamp of its last change in the range. */
  readonly changedAt: BigUint64Array;
}

/** @param timestamps `from` (inclusive) to `to` (exclusive) */
export async function* scanChanges(
  parts: RowSetParts,
  rowCount: number,
  timestamps: { readonly from: bigint; readonly to: bigint },
  options: DiffOptions,
): AsyncGenerator<DiffBatch, void, void> {
  const { from, to } = timestamps;
  if (checkTimestamp(from, "from") > checkTimestamp(to, "to")) {
    throw invalidArgument(`invalid range: from ${from} is after to ${to}`, { field: "from" });
  }
  const { signal } = options;
  const batchRows = checkBatchRows(options.batchRows);
  const columns = columnsNamed(parts.schema, options.columns);
  const names = columns.map(({ name }) => name);
  const { trustStatistics = true } = parts.options;
  const rows = { from: 0, to: rowCount };
  const cursors = (await parts.deltas())
    .filter(({ reader }) => !trustStatistics || isNeededForDiff(reader.statistics, from, to))
    .map((part) => new DeltaCursor(part, { rows, timestamps, trustStatistics, signal }));
  let merger: DeltaMerger | undefined;
  const base = new Map<number, BaseColumn>();
  try {
    const settings = { ...rows, asOf: to, signal, isWhole: false };
    merger = await mergeDeltas(parts, { ...settings, columns });
    for (let start = await nextRow(cursors); start < rowCount; start = await nextRow(cursors)) {
      signal?.throwIfAborted();
      const end = Math.min(rowCount, start + batchRows);
      const found = await changedRows(cursors, start, end);
      const [firstRow] = found.rows;
      if (firstRow === undefined) {
        continue;
      }
      await merger.advance(start, end);
      const { dead } = merger;
      const positions = found.rows.map((row) => row - firstRow);
      const batches: ColumnBatch[] = [];
      for (const column of columns) {
        const data = base.get(column.id) ?? (await openBaseColumn(parts, column, settings));
        base.set(column.id, data);
        const cells = await data.read(firstRow, (found.rows.at(-1) as number) + 1);
        batches.push(takeRows(merger.patched(column, cells, firstRow - start, undefined), positions));
      }
      const deleted = Uint8Array.from(found.rows, (row) => dead[row - start] ?? 0);
      yield { length: found.rows.length, firstRow, columns: batches, names, deleted, ...found };
    }
  } finally {
    await Promise.all([...cursors, merger].map((reading) => reading?.close()));
  }
}

/** The next row with entries; `Infinity` after the last one. */
async function nextRow(cursors: readonly DeltaCursor[]): Promise<number> {
  return Math.min(...(await Promise.all(cursors.map((cursor) => cursor.nextRow()))));
}

/** The rows from `from` to `to` (exclusive) that the diff reports. */
async function changedRows(
  cursors: readonly DeltaCursor[],
  from: number,
  to: number,
): Promise<Pick<DiffBatch, "changedAt"> & { readonly rows: Uint32Array }> {
  const ends = new Map<number, { oldest: DiffEntry; newest: DiffEntry }>();
  // Files are in the order in which they are applied, so a counter over all entries gives their order.
  let ordinal = 0;
  for (const cursor of cursors) {
    const { kind } = cursor.part;
    await cursor.takeRows(from, to, (batch, index) => {
      const row = batch.rows[index] as number;
      const type = batch.types[index] as DiffEntry["type"];
      const entry = { kind, type, timestamp: batch.timestamps[index] as bigint, ordinal: ordinal++ };
      const known = ends.get(row);
      if (known === undefined) {
        ends.set(row, { oldest: entry, newest: entry });
        return;
      }
      if (compareDiffEntries(entry, known.oldest) < 0) {
        known.oldest = entry;
      }
      if (compareDiffEntries(entry, known.newest) > 0) {
        known.newest = entry;
      }
    });
  }
  const reported = [...ends].filter(([, { oldest, newest }]) => isReportedInDiff(oldest, newest));
  reported.sort(([left], [right]) => left - right);
  return {
    rows: Uint32Array.from(reported, ([row]) => row),
    changedAt: BigUint64Array.from(reported, ([, { newest }]) => newest.timestamp),
  };
}
