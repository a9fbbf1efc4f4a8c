/** Data, index and dictionary blocks found in stretches of a file that no index explains, by their checksums. */
import { type BlockLocation, CFileError, crc32c, isCFileError } from "@cfile/bytes";
import { CHECKSUM_LENGTH } from "../../blocks/block-wrapper.js";
import { findChecksummedRanges } from "./checksum-scan.js";
import type { DamagedSource } from "./damaged-source.js";

/** What a range of bytes with a right checksum is, if anything: its stored bytes are given. */
export type Classify<T> = (block: BlockLocation, stored: Uint8Array) => T | undefined;

/** Bytes looked at together; blocks of up to half of it are found wherever they stand. */
const WINDOW = 1 << 20;
const STRIDE = WINDOW / 2;
/** Larger blocks are found where they follow another block or the start of the stretch, up to this size. */
const MAX_LONG_BLOCK = 1 << 26;
const LONG_READ = 1 << 20;
/** Bytes of ranges looked into, in all, for each byte of the window. */
const MAX_LOOKS = 64;

/**
 * Every block in `start..end` that `classify` recognises. A crafted file can hold more ranges with right checksums than
 * can be looked into; some are then passed over.
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

/** @returns where the last block ends */
function searchWindow<T>(bytes: Uint8Array, offset: number, classify: Classify<T>, found: T[]): number {
  let last = offset;
  let budget = Math.max(1 << 16, MAX_LOOKS * bytes.length);
  findChecksummedRanges(bytes, ({ start, end }) => {
    budget -= end - start;
    const block = { offset: offset + start, size: end - start };
    const recognised = tryClassify(classify, block, bytes.subarray(start, end));
    if (recognised !== undefined) {
      found.push(recognised);
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
        const recognised = tryClassify(classify, block, await file.read(start, blockEnd));
        if (recognised !== undefined) {
          return { found: recognised, end: blockEnd };
        }
      }
      crc = crc32c(bytes, at, at + 1, crc);
    }
    position += bytes.length - CHECKSUM_LENGTH + 1;
  }
  return undefined;
}

function tryClassify<T>(classify: Classify<T>, block: BlockLocation, stored: Uint8Array): T | undefined {
  try {
    return classify(block, stored);
  } catch (error) {
    if (isCFileError(error) && error instanceof CFileError) {
      return undefined;
    }
    throw error;
  }
}
