/** The layout of a file: its index trees block by block and entry by entry, and its dictionary block. */
import type { BlockLocation } from "@cfile/bytes";
import type { IndexTree } from "@cfile/index-btree";
import { walkIndexNodes } from "@cfile/index-btree/walk";
import type { BlockReadOptions } from "../blocks/block-reader.js";

export interface IndexBlockLayout extends BlockLocation {
  /** 0 for the root. */
  readonly depth: number;
  readonly leaf: boolean;
  readonly entries: number;
}

export interface IndexEntryLayout extends BlockLocation {
  /** The stored key, a read-only view; `offset` and `size` are those of the data block. */
  readonly key: Uint8Array;
}

/** The blocks and entries of one index. */
export interface IndexLayout {
  readonly levels: number;
  /** Parents before their children, left to right. */
  readonly indexBlocks: readonly IndexBlockLayout[];
  /** All leaf entries in key order. */
  readonly entries: readonly IndexEntryLayout[];
}

/** The index blocks of a file and its dictionary block. */
export interface CFileLayout {
  readonly posidx?: IndexLayout;
  readonly validx?: IndexLayout;
  readonly dictionary?: BlockLocation;
}

export async function readLayout(
  { posidx, validx }: { readonly posidx: IndexTree | undefined; readonly validx: IndexTree | undefined },
  dictionary: BlockLocation | undefined,
  options: BlockReadOptions,
): Promise<CFileLayout> {
  return {
    ...(posidx && { posidx: await readIndexLayout(posidx, options) }),
    ...(validx && { validx: await readIndexLayout(validx, options) }),
    ...(dictionary && { dictionary }),
  };
}

/** @throws {CFileError} as reading index blocks; `E_CORRUPT` for entries that point outside the file's blocks */
export async function readIndexLayout(tree: IndexTree, options: BlockReadOptions): Promise<IndexLayout> {
  const indexBlocks: IndexBlockLayout[] = [];
  const entries: IndexEntryLayout[] = [];
  let levels = 1;
  for await (const node of walkIndexNodes(tree, options)) {
    const { block, depth, location } = node;
    const { offset, size } = location;
    indexBlocks.push({ offset, size, depth, leaf: block.isLeaf, entries: block.count });
    levels = Math.max(levels, 1 + depth);
    for (let i = 0; block.isLeaf && i < block.count; i++) {
      tree.checkDataPointer(node, i);
      const pointer = block.pointer(i);
      entries.push({ key: block.key(i), offset: pointer.offset, size: pointer.size });
    }
  }
  return { levels, indexBlocks, entries };
}
