/**
 * Which rows of a dictionary-encoded column may have words that its dictionary does not have. A writer whose dictionary is
 * full goes over to plain blocks for the rest of the file (docs/spec/cfile.md#56-dictionary):
 *
 * | rows | blocks |
 * | --- | --- |
 * | before the first plain row | codes of the dictionary |
 * | from it on | the words themselves |
 */
import type { BinaryVector } from "@cfile/encodings";
import type { BlockReadOptions } from "../blocks/block-reader.js";
import type { DataBlock } from "../blocks/data-block.js";
import type { BlockDirectory } from "../index/block-directory.js";

export interface DictionaryColumn {
  readonly rowCount: number;
  readonly nullable: boolean;
  readonly array: boolean;
  readonly dictionary: BinaryVector;
  readonly directory: BlockDirectory;
  readonly blockOf: (row: number) => Promise<DataBlock>;
}

/** Bytes of a block of codes for each of them, at least, while it is filled. */
const CODE_BYTES = 4;
/** What a plain block takes for a word beside its bytes, and for itself: never less than a writer counts. */
const WORD_BYTES = 5;
const BLOCK_BYTES = 64;

/**
 * The first row behind the blocks of codes; the number of rows where there are only such. Often the index tells it: a first
 * block of so many codes means blocks larger than the dictionary, which then was never full. Else some blocks are looked at.
 */
export async function firstPlainRow(column: DictionaryColumn, options: BlockReadOptions): Promise<number> {
  const { rowCount } = column;
  if (rowCount === 0 || (await neverFull(column, options))) {
    return rowCount;
  }
  const last = await column.blockOf(rowCount - 1);
  if (hasCodes(last)) {
    return rowCount;
  }
  let low = 0;
  let high = last.firstRow;
  while (low < high) {
    const block = await column.blockOf((low + high) >>> 1);
    if (hasCodes(block)) {
      low = block.firstRow + block.rows;
    } else {
      high = block.firstRow;
    }
  }
  return high;
}

async function neverFull(column: DictionaryColumn, options: BlockReadOptions): Promise<boolean> {
  // Of a block's rows, only those with a value have a code.
  if (column.nullable || column.array) {
    return false;
  }
  const { data, length } = column.dictionary;
  const cursor = await column.directory.first(options);
  const codes = (await cursor?.next()) === true ? cursor?.firstRow : column.rowCount;
  return codes !== undefined && data.length + WORD_BYTES * length + BLOCK_BYTES <= CODE_BYTES * codes;
}

function hasCodes(block: DataBlock): boolean {
  return block.decode(0, 1).kind === "dictionary";
}
