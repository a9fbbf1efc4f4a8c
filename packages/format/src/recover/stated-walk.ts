/** Blocks without checksums, one after the other, as long as each says where it ends and goes on where the last one stopped. */
import { type BlockLocation, CFileError, isCFileError, problemOf } from "@cfile/bytes";
import type { BlockWrapping } from "../blocks/block-wrapper.js";
import type { BlockColumn } from "../blocks/data-block.js";
import type { VerifyProblem } from "../verify/verify.js";
import type { SearchedColumn } from "./search/block-probe.js";
import { isCodeBlock, probeCodeBlock, probeDataBlock, type RowSpan } from "./search/block-probe.js";
import type { DamagedSource } from "./search/damaged-source.js";
import { dataBlockLength } from "./search/encoded-length.js";

export interface StatedWalk {
  readonly start: number;
  readonly end: number;
  readonly firstRow: number;
  readonly wrapping: BlockWrapping;
  readonly column: SearchedColumn;
}

export interface WalkedBlock extends BlockLocation, RowSpan {
  /** Whether it is of codes whose dictionary is not known. */
  readonly codes: boolean;
}

const FIRST_READ = 1 << 16;
const SIZE_WORDS = 8;

/** @returns the blocks, and why the walk ended before `end` */
export async function walkStatedBlocks(
  file: DamagedSource,
  walk: StatedWalk,
): Promise<{ blocks: WalkedBlock[]; problem: VerifyProblem | undefined }> {
  const blocks: WalkedBlock[] = [];
  let { start: offset, firstRow } = walk;
  while (offset < walk.end) {
    file.signal?.throwIfAborted();
    try {
      const { size, span, codes } = await nextBlock(file, offset, walk);
      if (span.firstRow !== firstRow) {
        throw new CFileError("E_CORRUPT", `the block's first row is ${span.firstRow}, expected ${firstRow}`, {
          block: { offset, size },
          field: "ordinal",
          expected: firstRow,
          actual: span.firstRow,
        });
      }
      blocks.push({ offset, size, ...span, codes });
      offset += size;
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
): Promise<{ size: number; span: RowSpan; codes: boolean }> {
  const most = Math.min(end - offset, file.limits.maxBlockSize);
  for (let length = Math.min(most, FIRST_READ); ; length = Math.min(most, 4 * length)) {
    const bytes = await file.read(offset, offset + length);
    try {
      const size = storedLength(bytes, wrapping, column);
      const block = { offset, size };
      const content = file.unwrap(block, bytes.subarray(0, size), wrapping);
      const codes =
        column.encoding === "DICT_ENCODING" &&
        column.dictionary === undefined &&
        isCodeBlock(content, column, file.limits);
      const probe = codes ? probeCodeBlock : probeDataBlock;
      return { size, span: probe(content, column, file.limits), codes };
    } catch (error) {
      if (!isCFileError(error, "E_TRUNCATED") || length === most) {
        throw error;
      }
    }
  }
}

function storedLength(bytes: Uint8Array, { codec, version }: BlockWrapping, column: BlockColumn): number {
  if (codec === undefined) {
    return dataBlockLength(bytes, column);
  }
  if (version !== 1) {
    throw new CFileError(
      "E_UNSUPPORTED",
      "compressed blocks without checksums cannot be found without an index",
      {
        field: "compression",
      },
    );
  }
  if (bytes.length < SIZE_WORDS) {
    throw new CFileError("E_TRUNCATED", "no room for the size words", { field: "compressed size" });
  }
  const size = SIZE_WORDS + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  if (size > bytes.length) {
    throw new CFileError("E_TRUNCATED", `a block of ${size} bytes`, {
      field: "compressed size",
      actual: size,
    });
  }
  return size;
}
