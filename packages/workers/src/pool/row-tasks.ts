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

/** Stored bytes and rows of a task; its last block may exceed the maximum. */
const [MIN_BYTES, MAX_BYTES] = [128 * 1024, 1024 * 1024];
const [MIN_ROWS, MAX_ROWS] = [64 * 1024, 1024 * 1024];
/** Approximate number of tasks per worker in a small file, so that all workers finish at about the same time. */
const TASKS_PER_WORKER = 8;

/**
 * The tasks for rows `from` to `to` of a file, in order; the index is read along the way.
 *
 * @throws {CFileError} `E_CORRUPT` for a positional index that does not ascend, and what reading it throws
 */
export async function* cutRows(
  source: ByteSource,
  file: CFileReader,
  { from, to }: { readonly from: number; readonly to: number },
  options: OpenOptions & { readonly workers: number },
): AsyncGenerator<RowTask, void, void> {
  const { structure, rowCount } = file;
  const { posidx } = structure.footer;
  const parts = options.workers * TASKS_PER_WORKER;
  const maxBytes = Math.min(MAX_BYTES, Math.max(MIN_BYTES, structure.fileSize / parts));
  const maxRows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.ceil((to - from) / parts)));
  if (from >= to) {
    return;
  }
  if (posidx === undefined) {
    const rows = Math.ceil((maxBytes / structure.fileSize) * rowCount);
    yield* cutEvenly(from, to, Math.min(maxRows, rows), undefined);
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
    if (bytes >= maxBytes || row - start >= maxRows) {
      yield* cutEvenly(start, row, 2 * maxRows, cursor.pointer);
      start = row;
      bytes = 0;
    }
    bytes += cursor.pointer.size;
  }
  yield* cutEvenly(start, to, 2 * maxRows, undefined);
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
