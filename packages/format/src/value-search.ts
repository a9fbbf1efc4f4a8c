/**
 * Searching by value (specification 7.5): the value index leads to the block that can hold the value, a search inside the
 * block to the row.
 */
import { type BlockLocation, corrupt, withErrorContext } from "@cfile/bytes";
import type { DataType } from "@cfile/encodings";
import type { IndexTree } from "@cfile/index-btree";
import type { BlockDirectory } from "./block-directory.js";
import type { BlockReadOptions } from "./block-reader.js";
import { type CellTarget, cellTarget, type SearchValue } from "./cell-target.js";
import type { DataBlock } from "./data-block.js";
import type { FoundRow } from "./reader-options.js";

/** The parts of a reader that a search needs. */
export interface SearchedFile {
  readonly path: string;
  readonly type: DataType;
  readonly validx: IndexTree;
  readonly directory: BlockDirectory;
  /** A block from the cache, at once, or read. */
  readonly dataBlock: (block: BlockLocation) => DataBlock | Promise<DataBlock>;
}

/** The first row whose value is at or after `value`; `undefined` when all are before it. */
export async function findValue(
  file: SearchedFile,
  value: SearchValue,
  options: BlockReadOptions,
): Promise<FoundRow | undefined> {
  const { path, validx } = file;
  const target = cellTarget(file.type, value);
  const cursor = (await validx.seekAtOrBefore(target.key, options)) ?? (await validx.first(options));
  if (cursor === undefined) {
    return undefined;
  }
  const { pointer } = cursor;
  const block = await file.dataBlock(pointer);
  const found = withErrorContext({ path, block: pointer }, () => block.seek(target.native));
  if (found.position < block.rows) {
    const row = block.firstRow + found.position;
    const first = found.exact && found.position === 0 ? await firstEqual(file, row, target, options) : row;
    return { row: first, exact: found.exact };
  }
  return (await cursor.next())
    ? { row: (await file.dataBlock(cursor.pointer)).firstRow, exact: false }
    : undefined;
}

/** Equal values may begin in a block before the one that the index leads to: the first of them. */
async function firstEqual(
  file: SearchedFile,
  row: number,
  target: CellTarget,
  options: BlockReadOptions,
): Promise<number> {
  let first = row;
  while (first > 0) {
    const cursor = await file.directory.seekRow(first - 1, options);
    if (cursor === undefined) {
      break;
    }
    const { pointer } = cursor;
    const block = await file.dataBlock(pointer);
    const { position } = withErrorContext({ path: file.path, block: pointer }, () =>
      block.seek(target.native),
    );
    if (position >= block.rows) {
      break;
    }
    if (block.firstRow + position >= first) {
      throw corrupt(`the index does not lead to row ${first - 1}`, {
        path: file.path,
        block: pointer,
        field: "ordinal",
      });
    }
    first = block.firstRow + position;
    if (position > 0) {
      break;
    }
  }
  return first;
}
