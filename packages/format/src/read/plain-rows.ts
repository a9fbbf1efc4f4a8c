/**
 * Finds the rows of a dictionary-encoded column whose words may be missing in the dictionary. When the dictionary is full, writers
 * switch to plain blocks for the rest of the file (docs/spec/cfile.md#56-dictionary):
 *
 * | rows | blocks |
 * | --- | --- |
 * | before the first plain row | codes of the dictionary |
 * | from the first plain row on | the words themselves |
 */
import type { BinaryVector } from "@cfile/encodings";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { OpenFile } from "./open-file.js";

/** Minimum size per code that a writer assumes for a block of codes. */
const CODE_BYTES = 4;
/** Upper bounds of the size that a writer assumes per word of a plain block, in addition to its bytes, and per block. */
const WORD_BYTES = 5;
const BLOCK_BYTES = 64;

/**
 * The first row after the blocks of codes; the row count if all blocks consist of codes. Often the index suffices: if the
 * first block has so many codes that the dictionary cannot have been full, it never was. Otherwise, a binary search opens blocks.
 *
 * @throws {CFileError} as reading blocks
 */
export async function firstPlainRow(
  file: OpenFile,
  dictionary: BinaryVector,
  options: BlockReadOptions,
): Promise<number> {
  const { rowCount } = file.structure.footer;
  if (rowCount === 0 || (await wasNeverFull(file, dictionary, options))) {
    return rowCount;
  }
  const last = (await file.blockOf(rowCount - 1, options)).block;
  if (hasCodes(last)) {
    return rowCount;
  }
  let low = 0;
  let high = last.firstRow;
  while (low < high) {
    const { block } = await file.blockOf((low + high) >>> 1, options);
    if (hasCodes(block)) {
      low = block.firstRow + block.rows;
    } else {
      high = block.firstRow;
    }
  }
  return high;
}

async function wasNeverFull(
  { structure, directory }: OpenFile,
  { data, length }: BinaryVector,
  options: BlockReadOptions,
): Promise<boolean> {
  const { nullable, array, rowCount } = structure.footer;
  // Only rows with a value have a code.
  if (nullable || array) {
    return false;
  }
  const cursor = await directory.first(options);
  const codes = (await cursor?.next()) === true ? cursor?.firstRow : rowCount;
  return codes !== undefined && data.length + WORD_BYTES * length + BLOCK_BYTES <= CODE_BYTES * codes;
}

function hasCodes(block: DataBlock): boolean {
  return block.decode(0, 1).kind === "dictionary";
}
