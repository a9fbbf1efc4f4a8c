/** Finds data, index and dictionary blocks by their checksums, in parts of a file that no index covers. */
import { attempt, type BlockLocation, crc32c } from "@cfile/bytes";
import { CHECKSUM_LENGTH } from "../../blocks/block-wrapper.js";
import { findChecksummedRanges } from "./checksum-scan.js";
import type { DamagedSource } from "./damaged-source.js";

/** Determines from its stored bytes what a block with a valid checksum is, if anything. */
export type Classify<T> = (block: BlockLocation, stored: Uint8Array) => T | undefined;

/** Bytes searched at a time; blocks of up to half this size are found at any offset. */
const WINDOW = 1 << 20;
const STRIDE = WINDOW / 2;
/** Larger blocks, up to this size, are found directly after another block or at the start of the searched range. */
const MAX_LONG_BLOCK = 1 << 26;
const LONG_READ = 1 << 20;
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
  classify: Classify<T>,
): Promise<T[]> {
  const found: T[] = [];
  let anchored = true;
  for (let position = start; position < end; ) {
    file.signal?.throwIfAborted();
    const windowEnd = Math.min(end, position + WINDOW);
    const bytes = await file.read(position, windowEnd);
    const last = searchWindow(bytes, position, classify, found);
    if (last > position) {
      position = last;
      anchored = true;
      continue;
    }
    if (windowEnd === end) {
      break;
    }
    const long = anchored ? await findLongBlock(file, position, end, classify) : undefined;
    if (long !== undefined) {
      found.push(long.found);
      position = long.end;
    } else {
      position += STRIDE;
      anchored = false;
    }
  }
  return found;
}

/** @returns the end of the last block */
function searchWindow<T>(bytes: Uint8Array, offset: number, classify: Classify<T>, found: T[]): number {
  let last = offset;
  let budget = Math.max(1 << 16, MAX_LOOKS * bytes.length);
  findChecksummedRanges(bytes, ({ start, end }) => {
    budget -= end - start;
    const block = { offset: offset + start, size: end - start };
    const recognized = attempt(() => classify(block, bytes.subarray(start, end)));
    if (recognized !== undefined) {
      found.push(recognized);
      last = offset + end;
    }
    return budget < 0 ? "stop" : "continue";
  });
  return last;
}

async function findLongBlock<T>(
  file: DamagedSource,
  start: number,
  end: number,
  classify: Classify<T>,
): Promise<{ found: T; end: number } | undefined> {
  const limit = Math.min(end, start + Math.min(MAX_LONG_BLOCK, file.limits.maxStoredBlockSize));
  let crc = 0;
  let position = start;
  while (position + CHECKSUM_LENGTH <= limit) {
    const bytes = await file.read(position, Math.min(limit, position + LONG_READ + CHECKSUM_LENGTH));
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    for (let at = 0; at + CHECKSUM_LENGTH <= bytes.length; at++) {
      const blockEnd = position + at + CHECKSUM_LENGTH;
      if (view.getUint32(at, true) === crc && blockEnd - start > WINDOW) {
        const block = { offset: start, size: blockEnd - start };
        const stored = await file.read(start, blockEnd);
        const recognized = attempt(() => classify(block, stored));
        if (recognized !== undefined) {
          return { found: recognized, end: blockEnd };
        }
      }
      crc = crc32c(bytes, at, at + 1, crc);
    }
    position += bytes.length - CHECKSUM_LENGTH + 1;
  }
  return undefined;
}
