/**
 * Scanning: batches of consecutive rows, block after block. Blocks that lie together are fetched together, and
 * the next group is on its way while the present one is decoded.
 */
import { type BlockLocation, CFileError, corrupt, type RecycledMemory } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { DataBlock } from "../blocks/data-block.js";
import { BlockGroups, type BlockSequence } from "./read-ahead.js";

export interface ScanProgress {
  /** Rows given out so far, of `rowsTotal`. */
  readonly rows: number;
  readonly rowsTotal: number;
  /** Data blocks and their stored bytes read so far. */
  readonly blocks: number;
  readonly bytes: number;
  /** The row after the block that was read last, also where the scan ends inside that block. */
  readonly nextRow: number;
}

export interface RowScan extends BlockSequence {
  readonly open: (block: BlockLocation, stored: Uint8Array) => DataBlock;
  /** Whether rows of a block are to be given out at all. Default: of all blocks. */
  readonly isWanted?: ((block: DataBlock) => boolean) | undefined;
  /** Makes of a batch what the caller wants. */
  readonly finish?: ((batch: ColumnBatch) => ColumnBatch) | undefined;
  /** Memory of the batches given out, to be used again for the next block. */
  readonly recycled?: RecycledMemory | undefined;
  readonly from: number;
  readonly batchRows: number;
  readonly onProgress?: ((progress: ScanProgress) => void) | undefined;
}

export async function* scanRows(scan: RowScan): AsyncGenerator<ColumnBatch, void, void> {
  const { reader, from, to, batchRows, signal } = scan;
  const path = reader.structure.path;
  const progress = { rows: 0, rowsTotal: to - from, blocks: 0, bytes: 0, nextRow: from };
  let nextRow: number | undefined;
  const groups = new BlockGroups({ ...scan, reuseMemory: scan.recycled !== undefined });
  try {
    for (let group = await groups.next(); group !== undefined; group = await groups.next()) {
      for (const [i, stored] of group.stored.entries()) {
        signal?.throwIfAborted();
        const pointer = group.pointers[i] as BlockLocation;
        scan.recycled?.recycle();
        const block = scan.open(pointer, stored);
        checkContinuity(block, nextRow, from, pointer, path);
        nextRow = block.firstRow + block.rows;
        const last = Math.min(to, nextRow) - block.firstRow;
        const start =
          scan.isWanted?.(block) === false ? last : Math.max(from, block.firstRow) - block.firstRow;
        for (let row = start; row < last; row += batchRows) {
          const batch = decodeBatch(block, row, Math.min(last, row + batchRows), pointer, path);
          progress.rows += batch.length;
          yield scan.finish?.(batch) ?? batch;
        }
        progress.blocks++;
        progress.bytes += pointer.size;
        progress.nextRow = nextRow;
        scan.onProgress?.({ ...progress });
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
