/** All data blocks that the leaves of an index tree point to, in order. */
import type { BlockLocation } from "@cfile/bytes";
import { decodePositionalKey, type IndexTree } from "@cfile/index-btree";
import type { BlockReadOptions } from "../blocks/block-reader.js";

export interface PlacedBlock extends BlockLocation {
  /** Number of its first row, where the index tells it. */
  readonly firstRow?: number;
}

/** @param isPositional whether the keys are row numbers */
export async function listLeaves(
  tree: IndexTree,
  isPositional: boolean,
  { signal }: BlockReadOptions,
): Promise<PlacedBlock[]> {
  const blocks: PlacedBlock[] = [];
  const cursor = await tree.first({ signal });
  if (cursor !== undefined) {
    do {
      const { pointer } = cursor;
      blocks.push(isPositional ? { ...pointer, firstRow: decodePositionalKey(cursor.key) } : pointer);
    } while (await cursor.next());
  }
  return blocks;
}
