/** Finds data, index and dictionary blocks by their checksums, in parts of a file that no index covers. */
import { attempt } from "@cfile/bytes";
import { findChecksummedRanges } from "./checksum-scan.js";
import type { DamagedSource } from "./damaged-source.js";
import type { BlockSearch } from "./long-block-start.js";
import { searchLongBlocks } from "./long-blocks.js";

/** Bytes searched at a time; blocks of up to half this size are found with all others in the window. */
const WINDOW = 1 << 20;
const STRIDE = WINDOW / 2;
/** Maximum total bytes of tried ranges per byte of the window. */
const MAX_LOOKS = 64;

/**
 * All blocks in `start..end` that `classify` recognizes. If a crafted file has more ranges with valid checksums than can be
 * tested, some are skipped.
 */
export async function searchBlocks<T>(
  file: DamagedSource,
  start: number,
  end: number,
  search: BlockSearch<T>,
): Promise<T[]> {
  const found: T[] = [];
  let covered = 0;
  for (let position = start; position < end; ) {
    file.signal?.throwIfAborted();
    const windowEnd = Math.min(end, position + WINDOW);
    const bytes = await file.read(position, windowEnd);
    const window = searchWindow(bytes, position, search, found);
    covered += window.covered;
    if (windowEnd === end) {
      break;
    }
    position = window.last > position ? window.last : position + STRIDE;
  }
  if (end - start - covered > STRIDE) {
    found.push(...(await searchLongBlocks(file, start, end, STRIDE, search)));
  }
  return found;
}

/** @returns the end of the last block, and the number of bytes in blocks */
function searchWindow<T>(
  bytes: Uint8Array,
  offset: number,
  { classify }: BlockSearch<T>,
  found: T[],
): { last: number; covered: number } {
  let last = offset;
  let covered = 0;
  let budget = Math.max(1 << 16, MAX_LOOKS * bytes.length);
  findChecksummedRanges(bytes, ({ start, end }) => {
    budget -= end - start;
    const block = { offset: offset + start, size: end - start };
    const recognized =
      block.size < STRIDE ? attempt(() => classify(block, bytes.subarray(start, end))) : undefined;
    if (recognized !== undefined) {
      found.push(recognized);
      covered += offset + end - Math.max(last, block.offset);
      last = offset + end;
    }
    return budget < 0 ? "stop" : "continue";
  });
  return { last, covered };
}
