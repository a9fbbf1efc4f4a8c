/**
 * Scans a file: returns batches of consecutive rows, block after block. Neighboring blocks are fetched together, ahead of the
 * group that is being decoded.
 */
import { type BlockLocation, mismatch, withErrorContext } from "@cfile/bytes";
import type { ColumnBatch } from "@cfile/encodings";
import type { batchesOf } from "../blocks/block-batches.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { OpenFile } from "./open-file.js";
import { BlockGroups } from "./read-ahead.js";
import type { ScanOptions } from "./reader-options.js";
import { checkBatchRows } from "./row-range.js";

/**
 * @param isSelected whether to return the rows of a block. Default: all blocks
 * @throws {CFileError} as `CFileReader.scan`
 */
export async function* scanRows(
  file: OpenFile,
  options: ScanOptions,
  isSelected?: (block: DataBlock) => boolean,
): AsyncGenerator<ColumnBatch, void, void> {
  const { blocks, dataBlocks, structure } = file;
  const { path, wrapping } = structure;
  const { from, to } = file.rowRange(options);
  const batchRows = checkBatchRows(options.batchRows, structure.footer.dataType);
  if (from >= to) {
    return;
  }
  // Local reads are too short to be worth aborting.
  const abort = blocks.isRemote ? new LinkedAbort(options.signal) : undefined;
  const signal = abort?.signal ?? options.signal;
  const { arena, readAhead } = options;
  let done = 0;
  let nextRow: number | undefined;
  let groups: BlockGroups | undefined;
  let split: typeof batchesOf | undefined;
  try {
    const keeps = dataBlocks.keepsNow();
    const dictionary = await dataBlocks.loadDictionary({ signal }, keeps);
    const cursor = await file.directory.seekRow(from, { signal });
    if (cursor === undefined) {
      throw file.corruptRow(from);
    }
    const expand = options.expandDictionaries
      ? (await import("../blocks/expand-batches.js")).expandDictionaries
      : undefined;
    const cache = options.cacheBlocks && keeps ? dataBlocks.cache : undefined;
    groups = new BlockGroups({
      reader: blocks,
      cursor,
      to,
      readAhead,
      isHeld: cache && (({ offset }) => cache.has(offset)),
      // The cache keeps the bytes that are read.
      arena: cache === undefined ? arena : undefined,
      signal,
    });
    for (let group = await groups.next(); group !== undefined; group = await groups.next()) {
      for (const [i, stored] of group.stored.entries()) {
        signal?.throwIfAborted();
        const pointer = group.pointers[i] as BlockLocation;
        arena?.recycle();
        const block =
          stored === undefined
            ? (await dataBlocks.load(pointer, { signal })).block
            : cache === undefined
              ? dataBlocks.open(pointer, stored(arena), { dictionary, memory: arena })
              : dataBlocks.keep(pointer, stored()).block;
        checkContinuity(block, nextRow, from, pointer, path);
        nextRow = block.firstRow + block.rows;
        const last = Math.min(to, nextRow) - block.firstRow;
        const start = isSelected?.(block) === false ? last : Math.max(from, block.firstRow) - block.firstRow;
        const decode = (row: number, end: number): ColumnBatch =>
          withErrorContext({ path, block: pointer }, () => block.decode(row, end));
        if (last - start > batchRows) {
          split ??= (await import("../blocks/block-batches.js")).batchesOf;
        }
        const whole = (): ColumnBatch[] => (start < last ? [decode(start, last)] : []);
        for (const batch of split?.(decode, start, last, batchRows) ?? whole()) {
          done += batch.length;
          yield expand?.(batch, { kernels: wrapping.kernels, memory: arena }) ?? batch;
        }
        options.onBlock?.(nextRow);
        options.onProgress?.({ done, total: to - from });
        if (nextRow >= to) {
          return;
        }
      }
    }
  } finally {
    groups?.close();
    arena?.recycle();
    abort?.close();
  }
  const found = nextRow ?? 0;
  throw mismatch("data blocks end too early", `${to} rows or more`, found, { path, field: "num_values" });
}

function checkContinuity(
  { firstRow, rows }: DataBlock,
  nextRow: number | undefined,
  from: number,
  block: BlockLocation,
  path: string,
): void {
  const fits = nextRow === undefined ? firstRow <= from && firstRow + rows > from : firstRow === nextRow;
  if (!fits) {
    const expected = nextRow ?? from;
    const reason = `wrong first row in the block of row ${expected}`;
    throw mismatch(reason, expected, firstRow, { path, block, field: "ordinal" });
  }
}

/** A signal that is aborted with the caller's signal, or when the result is no longer needed. */
class LinkedAbort {
  private readonly controller = new AbortController();
  private readonly outer: AbortSignal | undefined;

  constructor(outer: AbortSignal | undefined) {
    this.outer = outer;
    if (outer?.aborted === true) {
      this.end();
    } else {
      outer?.addEventListener("abort", this.end, { once: true });
    }
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Aborts pending work. */
  close(): void {
    this.outer?.removeEventListener("abort", this.end);
    this.end();
  }

  private readonly end = (): void => {
    this.controller.abort(this.outer?.reason);
  };
}
