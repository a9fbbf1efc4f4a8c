/**
 * Cuts the rows of a file into tasks: the data blocks from one place of the positional index to another, so that no
 * block is decoded twice. Only a block with very many rows is cut itself, to bound the memory of a task, and a file
 * without positional index is cut by rows alone.
 */
import { type BlockLocation, corrupt, DEFAULT_LIMITS } from "@cfile/bytes";
import { BlockReader, type CFileReader, type OpenOptions } from "@cfile/format";
import { decodePositionalKey, encodePositionalKey, type IndexCursor, IndexTree } from "@cfile/index-btree";
import type { ByteSource } from "@cfile/io";

/** Rows `from` (inclusive) to `to` (exclusive). */
export interface RowTask {
  readonly from: number;
  readonly to: number;
  /** The data block that starts with row `to`, where the task ends between two blocks. */
  readonly next: BlockLocation | undefined;
}

/** Stored bytes and rows of a task, at most, but for what the last block is over; and at least, where a file is small. */
const MAX_BYTES = 1024 * 1024;
const MIN_BYTES = 128 * 1024;
const MAX_ROWS = 1024 * 1024;
const MIN_ROWS = 64 * 1024;
/** A small file is cut so that each worker gets about this many tasks: they then end at about the same time. */
const TASKS_A_WORKER = 8;

export interface CutOptions extends OpenOptions {
  readonly workers: number;
}

interface TaskSize {
  readonly bytes: number;
  readonly rows: number;
}

/** The tasks for rows `from` to `to` of a file, in order; the index is read as they are asked for. */
export async function* cutRows(
  source: ByteSource,
  file: CFileReader,
  { from, to }: { readonly from: number; readonly to: number },
  options: CutOptions,
): AsyncGenerator<RowTask, void, void> {
  const { structure, rowCount } = file;
  const { posidx } = structure.footer;
  const parts = options.workers * TASKS_A_WORKER;
  const size: TaskSize = {
    bytes: Math.min(MAX_BYTES, Math.max(MIN_BYTES, structure.fileSize / parts)),
    rows: Math.min(MAX_ROWS, Math.max(MIN_ROWS, Math.ceil((to - from) / parts))),
  };
  if (from >= to) {
    return;
  }
  if (posidx === undefined) {
    const rows = Math.ceil((size.bytes / structure.fileSize) * rowCount);
    yield* cutEvenly(from, to, Math.min(size.rows, rows), undefined);
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
  if (cursor === undefined) {
    throw corrupt(`the index does not lead to row ${from}`, {
      path: file.path,
      field: "posidx_info",
      actual: from,
    });
  }
  yield* cutAtBlocks(cursor, from, to, size, file.path);
}

async function* cutAtBlocks(
  cursor: IndexCursor,
  from: number,
  to: number,
  size: TaskSize,
  path: string,
): AsyncGenerator<RowTask, void, void> {
  let start = from;
  let blockStart = decodePositionalKey(cursor.key);
  let bytes = cursor.pointer.size;
  while (await cursor.next()) {
    const row = decodePositionalKey(cursor.key);
    if (row <= blockStart) {
      throw corrupt(`the positional index goes from row ${blockStart} to row ${row}`, {
        path,
        field: "posidx_info",
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
