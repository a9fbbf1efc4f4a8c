/** The layout of a file: its index trees block by block and entry by entry, and its dictionary block. */
import type { BlockLocation } from "@cfile/bytes";
import { type IndexTree, walkIndexTree } from "@cfile/index-btree";
import type { BlockReadOptions } from "./block-reader.js";
import type { CFileFooter } from "./footer.js";

export interface IndexBlockLayout extends BlockLocation {
  /** 0 is the root. */
  readonly depth: number;
  readonly leaf: boolean;
  readonly entries: number;
}

export interface IndexEntryLayout extends BlockLocation {
  /** The stored key; `offset` and `size` are those of the data block. */
  readonly key: Uint8Array;
}

export interface IndexLayout {
  readonly levels: number;
  /** Parents before their children, left to right. */
  readonly indexBlocks: readonly IndexBlockLayout[];
  /** All leaf entries in key order. */
  readonly entries: readonly IndexEntryLayout[];
}

export interface CFileLayout {
  readonly posidx?: IndexLayout;
  readonly validx?: IndexLayout;
  readonly dictionary?: BlockLocation;
}

export interface LayoutSource {
  readonly posidx: IndexTree | undefined;
  readonly validx: IndexTree | undefined;
  readonly footer: CFileFooter;
}

export async function readLayout(file: LayoutSource, options: BlockReadOptions): Promise<CFileLayout> {
  return {
    ...(file.posidx && { posidx: await readIndexLayout(file.posidx, options) }),
    ...(file.validx && { validx: await readIndexLayout(file.validx, options) }),
    ...(file.footer.dictionary && { dictionary: file.footer.dictionary }),
  };
}

async function readIndexLayout(tree: IndexTree, options: BlockReadOptions): Promise<IndexLayout> {
  const indexBlocks: IndexBlockLayout[] = [];
  const entries: IndexEntryLayout[] = [];
  for await (const step of walkIndexTree(tree, options)) {
    if (step.kind === "block") {
      indexBlocks.push({
        offset: step.offset,
        size: step.size,
        depth: step.depth,
        leaf: step.leaf,
        entries: step.entries,
      });
    } else {
      entries.push({ key: step.key.slice(), offset: step.pointer.offset, size: step.pointer.size });
    }
  }
  const levels = 1 + indexBlocks.reduce((deepest, block) => Math.max(deepest, block.depth), 0);
  return { levels, indexBlocks, entries };
}
