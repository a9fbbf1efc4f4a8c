/**
 * What changed in a row set between two timestamps (docs/spec/deltafile.md#71-diff-between-two-snapshots): rows with an entry
 * of the time between, as they are at its end, but for those that were there neither before nor after. Rows without entries are
 * never read.
 */
import { invalidArgument } from "@cfile/bytes";
import type { DiffEntry } from "@cfile/deltafile";
import { compareDiffEntries, isNeededForDiff, isReportedInDiff } from "@cfile/deltafile";
import type { DeltaBatch } from "@cfile/deltafile/read";
import type { ColumnBatch } from "@cfile/encodings";
import { takeRows } from "@cfile/encodings/batches";
import { type BaseColumn, openBaseColumn } from "../read/base-column.js";
import type { DiffBatch } from "../read/row-batch.js";
import type { RowSetParts } from "../read/row-set-parts.js";
import { checkAsOf, checkBatchRows, type RowScanOptions } from "../read/scan-options.js";
import { columnsNamed } from "../schema/named-columns.js";
import { DeltaCursor } from "./delta-cursor.js";
import { type DeltaMerger, mergeDeltas } from "./delta-merger.js";

/** Which columns a diff has, and in which portions. */
export type DiffOptions = Pick<RowScanOptions, "columns" | "batchRows" | "signal">;

export async function* scanChanges(
  parts: RowSetParts,
  rowCount: number,
  from: bigint,
  to: bigint,
  options: DiffOptions,
): AsyncGenerator<DiffBatch, void, void> {
  const range = { from: checkAsOf(from, "from"), to: checkAsOf(to, "to") };
  if (range.from > range.to) {
    throw invalidArgument("changes go from an earlier timestamp to a later one", { field: "from" });
  }
  const { signal } = options;
  const batchRows = checkBatchRows(options.batchRows);
  const columns = columnsNamed(parts.schema, options.columns);
  const names = columns.map(({ name }) => name);
  const { trustStatistics = true } = parts.options;
  const rows = { from: 0, to: rowCount };
  const changed = new ChangedRows(
    (await parts.deltas())
      .filter(({ reader }) => !trustStatistics || isNeededForDiff(reader.statistics, range.from, range.to))
      .map((part) => new DeltaCursor(part, { rows, timestamps: range, trustStatistics, signal })),
  );
  let merger: DeltaMerger | undefined;
  const base = new Map<number, BaseColumn>();
  try {
    const settings = { ...rows, asOf: range.to, signal, isWhole: false };
    merger = await mergeDeltas(parts, { ...settings, columns });
    for (let start = await changed.nextRow(); start < rowCount; start = await changed.nextRow()) {
      signal?.throwIfAborted();
      const end = Math.min(rowCount, start + batchRows);
      const found = await changed.reported(start, end);
      if (found.rows.length === 0) {
        continue;
      }
      await merger.advance(start, end);
      const positions = found.rows.map((row) => row - start);
      const deleted = positions.map((position) => merger?.dead[position] ?? 0);
      const batches: ColumnBatch[] = [];
      for (const column of columns) {
        const data = base.get(column.id) ?? (await openBaseColumn(parts, column, settings));
        base.set(column.id, data);
        const first = positions[0] as number;
        const cells = await data.read(start + first, (found.rows.at(-1) as number) + 1);
        const patched = merger.patched(column, cells, first, undefined);
        batches.push(
          takeRows(
            patched,
            positions.map((position) => position - first),
          ),
        );
      }
      yield {
        length: found.rows.length,
        firstRow: found.rows[0] ?? start,
        rows: found.rows,
        columns: batches,
        names,
        deleted: Uint8Array.from(deleted),
        changedAt: found.changedAt,
      };
    }
  } finally {
    await Promise.all([changed.close(), merger?.close()]);
  }
}

interface ReportedRows {
  readonly rows: Uint32Array;
  /** When each of them changed last. */
  readonly changedAt: BigUint64Array;
}

interface RowEnds {
  oldest: DiffEntry;
  newest: DiffEntry;
}

/** The rows that changed, from all delta files. An object a changed row: its entries come from several files. */
class ChangedRows {
  private readonly cursors: readonly DeltaCursor[];

  constructor(cursors: readonly DeltaCursor[]) {
    this.cursors = cursors;
  }

  /** The next row that has entries; `Infinity` when none has. */
  async nextRow(): Promise<number> {
    let next = Number.POSITIVE_INFINITY;
    for (const cursor of this.cursors) {
      next = Math.min(next, await cursor.nextRow());
    }
    return next;
  }

  /** Of rows `from` to `to` those that are reported. */
  async reported(from: number, to: number): Promise<ReportedRows> {
    const ends = new Map<number, RowEnds>();
    let ordinal = 0;
    for (const cursor of this.cursors) {
      const { kind } = cursor.part;
      await cursor.takeRows(from, to, (batch, index) => {
        // Files come in the order of application, so that a count over all of them is a place in it.
        addEntry(ends, batch.rows[index] as number, entryOf(batch, index, kind, ordinal++));
      });
    }
    const rows = [...ends.keys()]
      .filter((row) => {
        const { oldest, newest } = ends.get(row) as RowEnds;
        return isReportedInDiff(oldest, newest);
      })
      .sort((left, right) => left - right);
    return {
      rows: Uint32Array.from(rows),
      changedAt: BigUint64Array.from(rows, (row) => (ends.get(row) as RowEnds).newest.timestamp),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.cursors.map((cursor) => cursor.close()));
  }
}

function entryOf(batch: DeltaBatch, index: number, kind: DiffEntry["kind"], ordinal: number): DiffEntry {
  const type = batch.types[index] as DiffEntry["type"];
  return { kind, type, timestamp: batch.timestamps[index] as bigint, ordinal };
}

function addEntry(ends: Map<number, RowEnds>, row: number, entry: DiffEntry): void {
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
}
