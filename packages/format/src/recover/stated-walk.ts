/** Walks consecutive blocks without checksums, as long as each one states its length and continues the rows of the previous one. */
import { type BlockLocation, CFileError, isCFileError, mismatch, problemOf } from "@cfile/bytes";
import { type BlockWrapping, u32le } from "../blocks/block-wrapper.js";
import type { VerifyProblem } from "../verify/verify.js";
import type { SearchedColumn } from "./search/block-probe.js";
import type { DamagedSource } from "./search/damaged-source.js";
import { dataBlockLength } from "./search/encoded-length.js";
import { type ProbedRows, probeRows } from "./search/found-part.js";

export interface StatedWalk {
  readonly start: number;
  readonly end: number;
  readonly firstRow: number;
  readonly wrapping: BlockWrapping;
  readonly column: SearchedColumn;
}

export interface WalkedBlock extends ProbedRows {
  readonly block: BlockLocation;
}

const FIRST_READ = 1 << 16;
const SIZE_WORDS = 8;

/** @returns the blocks, and why the walk stopped before `end` */
export async function walkStatedBlocks(
  file: DamagedSource,
  walk: StatedWalk,
): Promise<{ blocks: WalkedBlock[]; problem: VerifyProblem | undefined }> {
  const blocks: WalkedBlock[] = [];
  let { start: offset, firstRow } = walk;
  while (offset < walk.end) {
    file.signal?.throwIfAborted();
    try {
      const found = await nextBlock(file, offset, walk);
      const { block, span } = found;
      if (span.firstRow !== firstRow) {
        throw mismatch("wrong first row of the block", firstRow, span.firstRow, { block, field: "ordinal" });
      }
      blocks.push(found);
      offset += block.size;
      firstRow += span.rows;
    } catch (error) {
      return { blocks, problem: problemOf(error) };
    }
  }
  return { blocks, problem: undefined };
}

async function nextBlock(
  file: DamagedSource,
  offset: number,
  { end, wrapping, column }: StatedWalk,
): Promise<WalkedBlock> {
  const max = Math.min(end - offset, file.limits.maxBlockSize);
  for (let length = Math.min(max, FIRST_READ); ; length = Math.min(max, 4 * length)) {
    const bytes = await file.read(offset, offset + length);
    try {
      const block = { offset, size: storedLength(bytes, wrapping, column) };
      const content = file.unwrap(block, bytes.subarray(0, block.size), wrapping);
      return { block, ...probeRows(content, column, file.limits) };
    } catch (error) {
      if (!isCFileError(error, "E_TRUNCATED") || length === max) {
        throw error;
      }
    }
  }
}

function storedLength(bytes: Uint8Array, { codec, version }: BlockWrapping, column: SearchedColumn): number {
  if (codec === undefined) {
    return dataBlockLength(bytes, column);
  }
  if (version !== 1) {
    const reason = "compressed blocks without checksums cannot be found without an index";
    throw new CFileError("E_UNSUPPORTED", reason, { field: "compression" });
  }
  const field = "compressed size";
  if (bytes.length < SIZE_WORDS) {
    throw new CFileError("E_TRUNCATED", "block is too short for its size words", { field });
  }
  const size = SIZE_WORDS + u32le(bytes, 0);
  if (size > bytes.length) {
    throw new CFileError("E_TRUNCATED", `incomplete block of ${size} bytes`, { field, actual: size });
  }
  return size;
}
