/** Aligns the batches of several columns: they end at different rows, so all are cut wherever one of them ends. */
import { corrupt } from "@cfile/bytes";
import type { ColumnBatch } from "./column-batch.js";
import type { TableBatch } from "./table-batch.js";
import { sliceRows } from "./take-rows.js";

interface Cursor {
  readonly name: string;
  readonly batches: AsyncIterator<ColumnBatch>;
  batch: ColumnBatch | undefined;
  used: number;
}

async function refill(cursor: Cursor): Promise<boolean> {
  while (cursor.batch === undefined || cursor.used === cursor.batch.length) {
    const next = await cursor.batches.next();
    if (next.done === true) {
      return false;
    }
    cursor.batch = next.value;
    cursor.used = 0;
  }
  return true;
}

/**
 * Yields the rows of all columns together, as slices that share the memory of the batches; bits that do not start at a byte
 * boundary are copied.
 *
 * @param columns the batches of each column, by name
 * @throws {CFileError} `E_CORRUPT` when a column ends before others; as reading the columns
 */
export async function* alignBatches(
  columns: Readonly<Record<string, AsyncIterable<ColumnBatch>>>,
): AsyncGenerator<TableBatch, void, void> {
  const names = Object.keys(columns);
  const [only, ...others] = Object.values(columns);
  if (only !== undefined && others.length === 0) {
    for await (const batch of only) {
      if (batch.length > 0) {
        yield { length: batch.length, firstRow: batch.firstRow, rows: batch.rows, names, columns: [batch] };
      }
    }
    return;
  }
  const cursors: Cursor[] = Object.entries(columns).map(([name, batches]) => ({
    name,
    batches: batches[Symbol.asyncIterator](),
    batch: undefined,
    used: 0,
  }));
  let rows = 0;
  try {
    while (cursors.length > 0) {
      const ready = await Promise.all(cursors.map(refill));
      if (ready.includes(false)) {
        const ended = cursors[ready.indexOf(false)];
        const longer = cursors[ready.indexOf(true)];
        if (longer === undefined) {
          return;
        }
        const reason = `column "${ended?.name}" ends after ${rows} rows, column "${longer.name}" has more`;
        throw corrupt(reason, { field: "rows", actual: rows });
      }
      const open = cursors.flatMap(({ batch, used }) => (batch === undefined ? [] : [{ batch, used }]));
      const length = Math.min(...open.map(({ batch, used }) => batch.length - used));
      const parts = open.map(({ batch, used }) => sliceRows(batch, used, used + length));
      yield { length, firstRow: parts[0]?.firstRow ?? 0, names, columns: parts };
      rows += length;
      for (const cursor of cursors) {
        cursor.used += length;
      }
    }
  } finally {
    await Promise.all(cursors.map(({ batches }) => batches.return?.()));
  }
}
