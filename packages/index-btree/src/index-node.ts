import type { BlockLocation } from "@cfile/bytes";
import type { IndexBlock } from "./index-block.js";

/** An index block in its place in the tree. */
export interface IndexNode {
  readonly location: BlockLocation;
  readonly block: IndexBlock;
  /** 0 is the root. */
  readonly depth: number;
  readonly place: IndexPlace;
  /** Key of the entry that follows this block's part of the tree; `undefined` at the right edge. */
  readonly keyAfter: Uint8Array | undefined;
}

/** Which entry of which block points to a block. */
export interface IndexPlace {
  /** File offset of the parent; -1 for the root. */
  readonly parentOffset: number;
  readonly position: number;
}

/** The place of the root. */
export const ROOT_PLACE: IndexPlace = { parentOffset: -1, position: 0 };

export function samePlace(left: IndexPlace, right: IndexPlace): boolean {
  return left.parentOffset === right.parentOffset && left.position === right.position;
}
