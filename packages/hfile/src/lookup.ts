/** The cells of given rows. */
import { compareBytes, invalidArgument } from "@cfile/bytes";
import type { ReadOptions } from "@cfile/io";
import { BlockWindow } from "./block-window.js";
import type { CellBatch } from "./cell-batch.js";
import { compareRow, hasRow, lowerBound, rowBytes } from "./cell-search.js";
import { IndexCursor } from "./index-cursor.js";
import type { ScannedFile } from "./scan.js";

/** A cell's place. */
export interface FoundCell {
  readonly batch: CellBatch;
  readonly index: number;
}

/** The first cell of a row. */
export async function findRow(
  { index, blocks }: ScannedFile,
  row: Uint8Array,
  options: ReadOptions,
): Promise<FoundCell | undefined> {
  const cursor = new IndexCursor(index, options);
  let more = await cursor.toRowStart(row);
  while (more) {
    const batch =
      blocks.cached(cursor.location.offset) ?? (await blocks.load(cursor.node, cursor.entry, options));
    const at = lowerBound(batch, row);
    if (at < batch.length) {
      return hasRow(batch, at, row) ? { batch, index: at } : undefined;
    }
    // The row is after this block; the next one may begin with it only if the index says so.
    more = (await cursor.toNext()) && cursor.node.compareRow(cursor.entry, row) <= 0;
  }
  return undefined;
}

/**
 * The first cell of each row, in one forward pass: every block is read once at most.
 *
 * @throws CFileError `E_INVALID_ARGUMENT` when rows descend
 */
export async function findRows(
  { index, blocks, structure }: ScannedFile,
  given: readonly (Uint8Array | string)[],
  options: ReadOptions,
): Promise<(FoundCell | undefined)[]> {
  const rows = given.map(rowBytes);
  checkAscending(rows);
  const found: (FoundCell | undefined)[] = [];
  const cursor = new IndexCursor(index, options);
  const window = new BlockWindow(structure.loader);
  let batch: CellBatch | undefined;
  let from = 0;
  for (const [i, row] of rows.entries()) {
    if (batch === undefined || compareRow(batch, batch.length - 1, row) < 0) {
      options.signal?.throwIfAborted();
      batch = undefined;
      let more = await cursor.toRowStart(row);
      while (more) {
        const { node, entry, location } = cursor;
        batch = blocks.cached(location.offset);
        if (batch === undefined) {
          const last = window.has(location) ? entry : lastWanted(node.floor.bind(node), entry, rows, i);
          const bytes = await window.read(node, entry, last, options);
          batch = blocks.decode(bytes, location, node, entry);
        }
        from = 0;
        more =
          compareRow(batch, batch.length - 1, row) < 0 &&
          (await cursor.toNext()) &&
          cursor.node.compareRow(cursor.entry, row) <= 0;
      }
    }
    if (batch === undefined) {
      found.push(undefined);
      continue;
    }
    from = lowerBound(batch, row, from);
    found.push(hasRow(batch, from, row) ? { batch, index: from } : undefined);
  }
  return found;
}

/** The last of the entries from `entry` on that the rows from `first` on need without a gap. */
function lastWanted(
  floor: (row: Uint8Array) => number,
  entry: number,
  rows: readonly Uint8Array[],
  first: number,
): number {
  let last = entry;
  for (let i = first; i < rows.length; i++) {
    const wanted = floor(rows[i] as Uint8Array);
    if (wanted > last + 1) {
      break;
    }
    last = Math.max(last, wanted);
    // No window is larger than that many small blocks.
    if (last - entry > 4096) {
      break;
    }
  }
  return last;
}

function checkAscending(rows: readonly Uint8Array[]): void {
  for (let i = 1; i < rows.length; i++) {
    if (compareBytes(rows[i - 1] as Uint8Array, rows[i] as Uint8Array) > 0) {
      throw invalidArgument(
        `row ${i} is before the row in front of it: rows have to be sorted by their bytes`,
        {
          field: "keys",
          actual: i,
        },
      );
    }
  }
}
