/** Many single rows: they are sorted by the blocks they stand in, and the blocks are read together, window after window. */
import type { BlockLocation } from "@cfile/bytes";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { CachedBlock } from "../blocks/cached-block.js";
import type { DataBlocks } from "../blocks/data-blocks.js";
import type { BlockDirectory } from "../index/block-directory.js";
import { corruptRow } from "./row-errors.js";

/** The parts of a reader that are needed. */
export interface RowsFile {
  readonly blocks: DataBlocks;
  readonly directory: BlockDirectory;
}

/** Stored bytes of blocks that are read together. */
const WINDOW_BYTES = 8 << 20;
/** Rows whose blocks are looked up before any is read. */
const ROWS_AT_ONCE = 1024;

/** @param rows rows that the file has */
export async function readRows(
  rows: ArrayLike<number>,
  file: RowsFile,
  options: CellOptions & BlockReadOptions,
): Promise<CellValue[]> {
  const cells = new Array<CellValue>(rows.length).fill(null);
  const order = Uint32Array.from({ length: rows.length }, (_, i) => i).sort(
    (a, b) => (rows[a] as number) - (rows[b] as number),
  );
  let window: PlacedRow[] = [];
  let bytes = 0;
  let last = -1;
  const flush = async (): Promise<void> => {
    await readWindow(window, cells, file, options);
    window = [];
    bytes = 0;
    last = -1;
  };
  for (let start = 0; start < order.length; start += ROWS_AT_ONCE) {
    const chunk = order.subarray(start, start + ROWS_AT_ONCE);
    for (const placed of await placeRows(rows, chunk, file, options)) {
      if (placed.pointer.offset !== last) {
        if (bytes > WINDOW_BYTES) {
          await flush();
        }
        last = placed.pointer.offset;
        bytes += placed.pointer.size;
      }
      window.push(placed);
    }
  }
  await flush();
  return cells;
}

/** A row, where its cell goes, and the block that holds it. */
interface PlacedRow {
  readonly row: number;
  readonly at: number;
  readonly pointer: BlockLocation;
}

async function placeRows(
  rows: ArrayLike<number>,
  chunk: Uint32Array,
  { blocks, directory }: RowsFile,
  { signal }: BlockReadOptions,
): Promise<PlacedRow[]> {
  const placed: PlacedRow[] = [];
  for (const at of chunk) {
    const row = rows[at] as number;
    const before = placed.at(-1);
    if (before?.row === row) {
      placed.push({ ...before, at });
      continue;
    }
    const cursor = await directory.seekRow(row, { signal });
    if (cursor === undefined) {
      throw corruptRow(blocks.reader.structure.path, row);
    }
    placed.push({ row, at, pointer: cursor.pointer });
  }
  return placed;
}

async function readWindow(
  window: readonly PlacedRow[],
  cells: CellValue[],
  { blocks }: RowsFile,
  options: CellOptions & BlockReadOptions,
): Promise<void> {
  const missing = new Map<number, BlockLocation>();
  const opened = new Map<number, CachedBlock>();
  for (const { pointer } of window) {
    if (opened.has(pointer.offset) || missing.has(pointer.offset)) {
      continue;
    }
    const held = blocks.cache.get(pointer.offset);
    if (held === undefined) {
      missing.set(pointer.offset, pointer);
    } else {
      opened.set(pointer.offset, held);
    }
  }
  if (missing.size > 0) {
    await blocks.loadDictionary(options);
    const pointers = [...missing.values()].sort((a, b) => a.offset - b.offset);
    const stored = await blocks.reader.readStoredRange(pointers, options);
    for (const [i, pointer] of pointers.entries()) {
      opened.set(pointer.offset, blocks.keep(pointer, stored[i] as Uint8Array));
    }
  }
  for (const { row, at, pointer } of window) {
    const block = opened.get(pointer.offset);
    const position = row - (block?.firstRow ?? row + 1);
    if (block === undefined || position < 0 || position >= block.rows) {
      throw corruptRow(blocks.reader.structure.path, row, pointer);
    }
    cells[at] = block.cell(position, options);
  }
}
