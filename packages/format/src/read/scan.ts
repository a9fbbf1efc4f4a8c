/**
 * Scanning: batches of consecutive rows, block after block. Blocks that lie together are fetched together, and
 * the next group is on its way while the present one is decoded.
 */
import { type BlockLocation, CFileError, corrupt, type Progress } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { DataBlock } from "../blocks/data-block.js";
import { BlockGroups, type BlockSequence } from "./read-ahead.js";

export interface RowScan extends BlockSequence {
  readonly open: (block: BlockLocation, stored: Uint8Array) => DataBlock;
  /** Whether rows of a block are to be given out at all. Default: of all blocks. */
  readonly isWanted?: ((block: DataBlock) => boolean) | undefined;
  /** Makes of a batch what the caller wants. */
  readonly finish?: ((batch: ColumnBatch) => ColumnBatch) | undefined;
  readonly from: number;
  readonly batchRows: number;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onBlock?: ((nextRow: number) => void) | undefined;
}

export async function* scanRows(scan: RowScan): AsyncGenerator<ColumnBatch, void, void> {
  const { reader, from, to, batchRows, signal } = scan;
  const path = reader.structure.path;
  let done = 0;
  let nextRow: number | undefined;
  const groups = new BlockGroups(scan);
  try {
    for (let group = await groups.next(); group !== undefined; group = await groups.next()) {
      for (const [i, stored] of group.stored.entries()) {
        signal?.throwIfAborted();
        const pointer = group.pointers[i] as BlockLocation;
        scan.arena?.recycle();
        const block = scan.open(pointer, stored);
        checkContinuity(block, nextRow, from, pointer, path);
        nextRow = block.firstRow + block.rows;
        const last = Math.min(to, nextRow) - block.firstRow;
        const start =
          scan.isWanted?.(block) === false ? last : Math.max(from, block.firstRow) - block.firstRow;
        for (let row = start; row < last; row += batchRows) {
          const batch = decodeBatch(block, row, Math.min(last, row + batchRows), pointer, path);
          done += batch.length;
          yield scan.finish?.(batch) ?? batch;
        }
        scan.onBlock?.(nextRow);
        scan.onProgress?.({ done, total: to - from });
        if (nextRow >= to) {
          groups.finish();
          return;
        }
      }
    }
  } finally {
    groups.close();
  }
  throw corrupt(`the data blocks end at row ${nextRow ?? 0}, the footer counts ${to} or more`, {
    path,
    field: "num_values",
    expected: to,
    actual: nextRow ?? 0,
  });
}

function checkContinuity(
  block: DataBlock,
  nextRow: number | undefined,
  from: number,
  location: BlockLocation,
  path: string,
): void {
  const contradicts =
    nextRow === undefined
      ? block.firstRow > from || block.firstRow + block.rows <= from
      : block.firstRow !== nextRow;
  if (contradicts) {
    throw corrupt(
      `a block starts at row ${block.firstRow}, expected ${nextRow ?? `one that holds row ${from}`}`,
      {
        path,
        block: location,
        field: "ordinal",
        expected: nextRow ?? from,
        actual: block.firstRow,
      },
    );
  }
}

function decodeBatch(
  block: DataBlock,
  from: number,
  to: number,
  location: BlockLocation,
  path: string,
): ColumnBatch {
  try {
    return block.decode(from, to);
  } catch (error) {
    throw error instanceof CFileError ? error.within({ path, block: location }) : error;
  }
}
