/**
 * Cuts the rows of a file into tasks, between data blocks, so that no block is decoded twice. Only a block with very many rows is cut
 * itself, to bound the memory of a task. A file without a positional index is cut by rows alone.
 */
import { type BlockLocation, corrupt, DEFAULT_LIMITS } from "@cfile/bytes";
import { BlockReader, type CFileReader, type OpenOptions } from "@cfile/format";
import { decodePositionalKey, encodePositionalKey, IndexTree } from "@cfile/index-btree";
import type { ByteSource } from "@cfile/io";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowTask {
  readonly from: number;
  readonly to: number;
  /** The data block that starts with row `to`, if the task ends between two blocks. */
  readonly next: BlockLocation | undefined;
}

/** Sizes of tasks. All workers finish at about the same time if the last tasks are small. */
export interface TaskSizes {
  /** A task has at least this many stored bytes, unless it has the maximum number of rows. */
  readonly minBytes: number;
  readonly minRows: number;
  /** Maximum number of stored bytes; the last block of a task may exceed it. */
  readonly maxBytes: number;
  readonly maxRows: number;
  /** Number of tasks that a worker's share is cut into, unless that makes them too large or too small. */
  readonly perWorker: number;
  /** Whether a worker's share is computed from the remaining rows, which makes tasks smaller towards the end, or from all rows. */
  readonly areShrinking: boolean;
}

/**
 * The tasks for rows `from` to `to` of a file, in order; the index is read along the way.
 *
 * @throws {CFileError} `E_CORRUPT` for a positional index that does not ascend, and what reading it throws
 */
export async function* cutRows(
  source: ByteSource,
  file: CFileReader,
  { from, to }: { readonly from: number; readonly to: number },
  options: OpenOptions & { readonly workers: number; readonly sizes: TaskSizes },
): AsyncGenerator<RowTask, void, void> {
  const { structure, rowCount } = file;
  const { posidx } = structure.footer;
  const { sizes } = options;
  const parts = options.workers * sizes.perWorker;
  /** The maxima of a task that starts at row `start`. */
  const sizeAt = (start: number): { readonly bytes: number; readonly rows: number } => {
    const first = sizes.areShrinking ? start : from;
    const bytes = (structure.fileSize * (to - first)) / Math.max(1, rowCount) / parts;
    const rows = Math.ceil((to - first) / parts);
    return {
      bytes: Math.min(sizes.maxBytes, Math.max(sizes.minBytes, bytes)),
      rows: Math.min(sizes.maxRows, Math.max(sizes.minRows, rows)),
    };
  };
  if (from >= to) {
    return;
  }
  if (posidx === undefined) {
    const bytesPerRow = structure.fileSize / rowCount;
    for (let start = from; start < to; ) {
      const { bytes, rows } = sizeAt(start);
      const end = Math.min(to, start + Math.min(rows, Math.ceil(bytes / bytesPerRow)));
      yield { from: start, to: end, next: undefined };
      start = end;
    }
    return;
  }
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const blocks = new BlockReader(source, structure, limits, options.verifyChecksums ?? true);
  const tree = new IndexTree({
    root: posidx,
    kind: "posidx",
    limits,
    path: file.path,
    load: (pointer, signal) => blocks.read(pointer, { signal }),
  });
  const cursor = await tree.seekAtOrBefore(encodePositionalKey(from), { signal: options.signal });
  const details = { path: file.path, field: "posidx_info" };
  if (cursor === undefined) {
    throw corrupt(`the positional index has no entry for row ${from}`, { ...details, actual: from });
  }
  let start = from;
  let blockStart = decodePositionalKey(cursor.key);
  let bytes = cursor.pointer.size;
  let size = sizeAt(start);
  while (await cursor.next()) {
    const row = decodePositionalKey(cursor.key);
    if (row <= blockStart) {
      throw corrupt(`the positional index goes from row ${blockStart} to row ${row}`, {
        ...details,
        actual: row,
      });
    }
    if (row >= to) {
      break;
    }
    blockStart = row;
    if (bytes >= size.bytes || row - start >= size.rows) {
      yield* cutEvenly(start, row, 2 * size.rows, cursor.pointer);
      start = row;
      bytes = 0;
      size = sizeAt(start);
    }
    bytes += cursor.pointer.size;
  }
  yield* cutEvenly(start, to, 2 * size.rows, undefined);
}

/** Rows as tasks of at most `rows` each; the last one ends where block `next` starts. */
function* cutEvenly(
  from: number,
  to: number,
  rows: number,
  next: BlockLocation | undefined,
): Generator<RowTask, void, void> {
  for (let start = from; start < to; start += rows) {
    const end = Math.min(to, start + rows);
    yield { from: start, to: end, next: end === to ? next : undefined };
  }
}
