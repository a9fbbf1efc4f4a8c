/** Scans cells in file order, one block at a time. */
import { compareBytes, corrupt, invalidOption, type WorkOptions } from "@cfile/bytes";
import { BlockWindow } from "../blocks/block-window.js";
import type { DataBlocks } from "../blocks/data-blocks.js";
import type { CellBatch } from "../cells/cell-batch.js";
import { afterPrefix, compareRow, lowerBound, rowBytes } from "../cells/cell-search.js";
import type { HFileStructure } from "../file/file-structure.js";
import { type DataIndex, IndexCursor } from "../index/index-cursor.js";

/**
 * Selects cells. Rows are bytes, or text, which is encoded as UTF-8. `onProgress` counts cells; for a range, the total is an
 * upper bound.
 */
export interface HFileScanOptions extends WorkOptions {
  /** First row, inclusive. */
  readonly from?: Uint8Array | string | undefined;
  /** Row at which to end, exclusive. */
  readonly to?: Uint8Array | string | undefined;
  /** Only rows with this prefix. */
  readonly prefix?: Uint8Array | string | undefined;
  /** Maximum number of cells. */
  readonly limit?: number | undefined;
  /** Whether to cache the blocks. Default: only for scans with an end, which are likely to be repeated. */
  readonly cache?: boolean | undefined;
}

export interface ScannedFile {
  readonly structure: HFileStructure;
  readonly index: DataIndex;
  readonly blocks: DataBlocks;
}

/** @throws {CFileError} as `BlockLoader.load`; `E_INVALID_ARGUMENT` for an invalid limit; the signal's reason */
export async function* scanCells(
  { structure, index, blocks }: ScannedFile,
  options: HFileScanOptions,
): AsyncGenerator<CellBatch, void, undefined> {
  const { from, to } = rangeOf(options);
  const limit = limitOf(options);
  const total = Math.min(limit, structure.trailer.entryCount);
  let left = limit;
  const { signal } = options;
  const cursor = new IndexCursor(index, { signal });
  const window = new BlockWindow(structure.loader, { isAhead: true });
  const usesCache = options.cache ?? to !== undefined;
  if (to !== undefined && from !== undefined && compareBytes(from, to) >= 0) {
    return;
  }
  let more = await ((from && (await cursor.toRowStart(from))) || cursor.toFirst());
  let position = 0;
  while (more && left > 0) {
    signal?.throwIfAborted();
    const { node, entry, location } = cursor;
    if (to !== undefined && node.compareRow(entry, to) >= 0) {
      return;
    }
    if (location.offset < position) {
      const details = { path: structure.loader.source.name, block: location, field: "block offset" };
      throw corrupt("the index points back to an earlier data block", details);
    }
    position = location.offset + location.size;
    let batch = blocks.cache.get(location.offset);
    if (batch === undefined) {
      const last = to === undefined ? node.length - 1 : Math.max(entry, node.floor(to));
      const bytes = await window.read(node, entry, last, { signal });
      // A cached view would keep the whole window in memory.
      const isView = structure.loader.options.codec === "NONE" && bytes.length < bytes.buffer.byteLength;
      batch = blocks.decode(usesCache && isView ? bytes.slice() : bytes, cursor);
      if (usesCache) {
        blocks.cache.set(location.offset, batch);
      }
    }
    const first = from === undefined ? 0 : lowerBound(batch, from);
    let end = batch.length;
    if (to !== undefined && compareRow(batch, end - 1, to) >= 0) {
      end = lowerBound(batch, to, first);
      more = false;
    }
    end = Math.min(end, first + left);
    if (end > first) {
      left -= end - first;
      yield batch.slice(first, end);
    }
    options.onProgress?.({ done: limit - left, total });
    more = more && left > 0 && (await cursor.toNext());
  }
}

function rangeOf(options: HFileScanOptions): { from: Uint8Array | undefined; to: Uint8Array | undefined } {
  let from = options.from === undefined ? undefined : rowBytes(options.from);
  let to = options.to === undefined ? undefined : rowBytes(options.to);
  if (options.prefix !== undefined) {
    const prefix = rowBytes(options.prefix);
    const after = afterPrefix(prefix);
    from = from === undefined || compareBytes(from, prefix) < 0 ? prefix : from;
    to = to === undefined || (after !== undefined && compareBytes(after, to) < 0) ? after : to;
  }
  return { from: from !== undefined && from.length > 0 ? from : undefined, to };
}

function limitOf({ limit = Number.MAX_SAFE_INTEGER }: HFileScanOptions): number {
  if (!(Number.isSafeInteger(limit) && limit >= 0)) {
    throw invalidOption("limit", limit, "an integer ≥ 0");
  }
  return limit;
}
