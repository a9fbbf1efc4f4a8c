/** Reads many single rows: they are sorted by block, and the blocks of a window of rows are read together. */
import type { BlockLocation } from "@cfile/bytes";
import type { CellOptions, CellValue } from "@cfile/encodings";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { CachedBlock } from "../blocks/cached-block.js";
import type { OpenFile } from "./open-file.js";

/** Stored bytes after which a window of blocks is read. */
const WINDOW_BYTES = 8 << 20;

/** A row, the index of its cell in the result, and the block that holds it. */
interface PlacedRow {
  readonly row: number;
  readonly at: number;
  readonly pointer: BlockLocation;
}

/**
 * @param rows existing rows, in any order
 * @throws {CFileError} `E_CORRUPT` when the index does not lead to a row; as reading blocks
 */
export async function readRows(
  rows: ArrayLike<number>,
  file: OpenFile,
  options: CellOptions & BlockReadOptions,
): Promise<CellValue[]> {
  const { signal } = options;
  const cells = new Array<CellValue>(rows.length).fill(null);
  const order = Uint32Array.from({ length: rows.length }, (_, i) => i).sort(
    (a, b) => (rows[a] as number) - (rows[b] as number),
  );
  let window: PlacedRow[] = [];
  let bytes = 0;
  let last: PlacedRow | undefined;
  for (const at of order) {
    const row = rows[at] as number;
    const pointer =
      last?.row === row ? last.pointer : (await file.directory.seekRow(row, { signal }))?.pointer;
    if (pointer === undefined) {
      throw file.corruptRow(row);
    }
    if (pointer.offset !== last?.pointer.offset) {
      if (bytes > WINDOW_BYTES) {
        await readWindow(window, cells, file, options);
        window = [];
        bytes = 0;
      }
      bytes += pointer.size;
    }
    last = { row, at, pointer };
    window.push(last);
  }
  await readWindow(window, cells, file, options);
  return cells;
}

async function readWindow(
  window: readonly PlacedRow[],
  cells: CellValue[],
  file: OpenFile,
  options: CellOptions & BlockReadOptions,
): Promise<void> {
  const { dataBlocks } = file;
  const missing = new Map<number, BlockLocation>();
  const opened = new Map<number, CachedBlock>();
  for (const { pointer } of window) {
    const { offset } = pointer;
    const held = opened.has(offset) || missing.has(offset) ? undefined : dataBlocks.cache.get(offset);
    if (held !== undefined) {
      opened.set(offset, held);
    } else if (!opened.has(offset)) {
      missing.set(offset, pointer);
    }
  }
  if (missing.size > 0) {
    await dataBlocks.loadDictionary(options);
    const pointers = [...missing.values()].sort((a, b) => a.offset - b.offset);
    const stored = await dataBlocks.reader.readStoredRange(pointers, options);
    for (const [i, pointer] of pointers.entries()) {
      opened.set(pointer.offset, dataBlocks.keep(pointer, stored[i]?.() as Uint8Array));
    }
  }
  for (const { row, at, pointer } of window) {
    const block = opened.get(pointer.offset);
    if (block === undefined || row < block.firstRow || row >= block.firstRow + block.rows) {
      throw file.corruptRow(row, pointer);
    }
    cells[at] = block.cell(row - block.firstRow, options);
  }
}
